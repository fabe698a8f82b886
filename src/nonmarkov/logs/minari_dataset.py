"""Minari datasets whose actions and observations are discrete; the only file that knows Minari."""

from collections.abc import Iterator
from typing import Any

from nonmarkov.errors import LogError, MissingExtraError
from nonmarkov.labels import Label
from nonmarkov.logs.episode import LONGEST_EPISODE, LoggedEpisode

SCALARS = ("Discrete", "Text")
VECTORS = ("MultiDiscrete", "MultiBinary")


def read_minari(name: str) -> Iterator[LoggedEpisode]:
    """Yield the episodes of a dataset on this machine; the first observation is that of reset."""
    dataset = _load(name)
    spaces = dataset.observation_space, dataset.action_space
    for space, noun in zip(spaces, ("observations", "actions"), strict=True):
        _check_discrete(space, noun, name)
    for episode in dataset.iterate_episodes():
        actions = _labels(spaces[1], episode.actions)
        observations = _labels(spaces[0], episode.observations)
        rewards = episode.rewards.tolist()
        steps = list(zip(actions, observations[1:], rewards, strict=True))[:LONGEST_EPISODE]
        over = len(steps) == len(rewards) > 0 and bool(episode.terminations[-1])
        yield LoggedEpisode(steps, over, f"{name}, episode {episode.id}", observations[0])


def _load(name: str) -> Any:
    try:
        import minari
    except ImportError:
        raise MissingExtraError(
            'Minari is not installed. Install it with: pip install "nonmarkov[minari]"'
        ) from None
    try:
        return minari.load_dataset(name)
    except (FileNotFoundError, ValueError) as error:
        raise LogError(
            f"{name} is no Minari dataset on this machine ({error}). Fetch it with: minari "
            f"download {name}"
        ) from None


def _check_discrete(space: Any, noun: str, name: str) -> None:
    kind = type(space).__name__
    if kind in ("Tuple", "Dict"):
        for part in _parts(space):
            _check_discrete(part, noun, name)
    elif kind not in (*SCALARS, *VECTORS):
        raise LogError(
            f"{name}: its {noun} are {kind}, which is not discrete. Make them discrete first, for "
            f"example with numpy.digitize, and write them as JSON Lines."
        )


def _parts(space: Any) -> list[Any]:
    """Return the parts of a space; of a Dict in the order of its keys."""
    return list(space.spaces.values() if hasattr(space.spaces, "values") else space.spaces)


def _labels(space: Any, data: Any) -> list[Label]:
    """Return one label for every moment of an episode."""
    kind = type(space).__name__
    if kind in SCALARS:
        return list(data) if kind == "Text" else [int(value) for value in data]
    if kind in VECTORS:
        return [tuple(row) for row in data.reshape(len(data), -1).tolist()]
    columns = [data[key] for key in space.spaces] if kind == "Dict" else list(data)
    parts = zip(_parts(space), columns, strict=True)
    return list(zip(*(_labels(part, column) for part, column in parts), strict=True))
