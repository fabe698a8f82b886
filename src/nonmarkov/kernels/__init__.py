"""Compiled loops: arrays in, arrays out; no objects, no errors, no checks."""
