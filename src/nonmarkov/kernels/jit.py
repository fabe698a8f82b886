"""The one place that says how kernels are compiled.

numba keeps machine code on disk and looks only at the file of a function to see whether it is
still good, not at the files of what that calls. So the code is kept under a name that depends on
all kernels: whoever changes one compiles all again.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import config, njit

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_HERE = Path(__file__).parent


def _cache_directory() -> str:
    """Return where to keep machine code, or nothing to let numba choose."""
    if not os.access(_HERE, os.W_OK):
        return ""
    sources = b"".join(path.read_bytes() for path in sorted(_HERE.glob("*.py")))
    return str(_HERE / "__pycache__" / hashlib.sha256(sources).hexdigest()[:12])


_CACHE = _cache_directory()


def jit(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the machine code on disk."""
    return _compiled(function)


def leaf(function: Kernel) -> Kernel:
    """Compile a kernel that neither makes nor returns arrays, and is called very often.

    Nothing counts who holds its arrays: the caller does. Counting would take longer than the
    kernel, because every call counts each array of each tuple that is passed.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Kernel, **options: bool) -> Kernel:
    before = getattr(config, "CACHE_DIR", "")
    setattr(config, "CACHE_DIR", before or _CACHE)  # noqa: B010
    try:
        compiler = cast(Any, njit)(cache=True, error_model="numpy", nogil=True, **options)
        return cast(Kernel, compiler(function))
    finally:
        setattr(config, "CACHE_DIR", before)  # noqa: B010
