"""Processes as Gymnasium environments; this is where Gymnasium lives."""
