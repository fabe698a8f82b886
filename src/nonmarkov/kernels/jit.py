"""The one place that says how kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def jit(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the machine code on disk."""
    return cast(Kernel, njit(cache=True, error_model="numpy", nogil=True)(function))
