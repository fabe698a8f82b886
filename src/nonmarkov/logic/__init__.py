"""Temporal logic on finite traces: formulas of LTLf and LDLf, read step by step."""
