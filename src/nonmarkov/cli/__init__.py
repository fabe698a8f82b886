"""The command line: a thin face on the library, for people and, with --json, for programs."""
