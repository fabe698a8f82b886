"""What a learner of streams can read."""

from nonmarkov.core import Alphabet, EpisodeBatch
from nonmarkov.errors import AlphabetError, InvalidParameterError


def check_episodes(episodes: object, alphabet: Alphabet) -> None:
    """Refuse what is no batch of episodes over the given alphabet."""
    if not isinstance(episodes, EpisodeBatch):
        raise InvalidParameterError(
            f"episodes must be an EpisodeBatch, got {type(episodes).__name__}; "
            f"EpisodeBatch.from_lists makes one."
        )
    if episodes.alphabet != alphabet:
        raise AlphabetError(
            "The episodes have another alphabet than the learner; build both with the same "
            "one: EpisodeBatch.from_lists(lists, alphabet)."
        )


def check_cut(shortest: int, max_steps: int | None, propagation: bool | None) -> None:
    """Refuse episodes that are cut off in a way that would spoil the statistics."""
    if max_steps is None or shortest < max_steps:
        raise InvalidParameterError(
            f"An episode is cut off after {shortest} steps; say after how many steps episodes "
            f"were cut off, with max_steps={shortest}, or leave such episodes out."
        )
    if propagation:
        raise InvalidParameterError(
            "Episodes that are cut off cannot be pushed on; use propagation=False."
        )
