"""Benchmarks: everything is a ratio of two measurements taken in one run."""
