"""Compiled loops: arrays in, arrays out; no objects, no errors, no checks.

Every call chain stays inside one file, because numba's cache does not notice a change in another.
"""
