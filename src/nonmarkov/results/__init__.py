"""Runs as data: what a run is, and the folder in which its results are kept."""
