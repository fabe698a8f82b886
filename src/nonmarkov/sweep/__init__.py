"""Many runs: which are wanted, which are there, and where to do the rest."""
