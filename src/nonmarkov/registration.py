"""Makes the domains known to Gymnasium: `gymnasium.make("nonmarkov/RotatingMaze-v0", k=3)`.

Gymnasium needs environments to be registered, and we do not import it ourselves, to keep
`import nonmarkov` light. So if it is there already the domains are registered at once; otherwise
an import hook waits for it, does that, and is gone.
"""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from nonmarkov.domains import DOMAINS, make_domain

if TYPE_CHECKING:
    from nonmarkov.envs.process_env import ProcessEnv


def environment_id(domain: str) -> str:
    """Return the Gymnasium id of a domain: rotating_mab is nonmarkov/RotatingMab-v0."""
    return f"nonmarkov/{DOMAINS[domain].__name__}-v0"


def make_environment(
    domain: str, *, evaluation: bool = False, render_mode: str | None = None, **parameters: Any
) -> "ProcessEnv":
    """Return the environment of a domain; Gymnasium calls this."""
    from nonmarkov.envs.process_env import ProcessEnv

    made = make_domain(domain, **parameters)
    return ProcessEnv(
        made.build(), board=made.board, evaluation=evaluation, render_mode=render_mode
    )


def register_environments() -> None:
    """Register every domain with Gymnasium, once."""
    from gymnasium.envs.registration import register, registry

    for name in DOMAINS:
        if environment_id(name) not in registry:
            register(
                id=environment_id(name),
                entry_point="nonmarkov.registration:make_environment",
                kwargs={"domain": name},
            )


def register_when_gymnasium_is_imported() -> None:
    """Register now if Gymnasium is there, else as soon as it comes."""
    if "gymnasium" in sys.modules:
        register_environments()
    else:
        sys.meta_path.insert(0, _Waiting())


class _Waiting(MetaPathFinder):
    """Finds Gymnasium in the ordinary way, and registers the domains after it has run."""

    _looking = False  # while the others are asked, this finder must not answer

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium" or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader, self)
        return spec


class _RegisteringLoader(Loader):
    """Steps aside as soon as the module has run."""

    def __init__(self, loader: Loader, finder: MetaPathFinder) -> None:
        self._loader = loader
        self._finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        register_environments()
