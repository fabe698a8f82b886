"""Conformance checks for processes, domains and environments, ours and yours.

Each check raises AssertionError with a sentence that says what does not hold.
"""

from nonmarkov.testing.conformance import check_domain, check_environment, check_process
from nonmarkov.testing.random_processes import random_process

__all__ = ["check_domain", "check_environment", "check_process", "random_process"]
