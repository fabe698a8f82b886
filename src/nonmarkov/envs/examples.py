"""Two classical environments whose last observation says little: the T-maze and the tiger."""

from typing import Any

import gymnasium
from gymnasium import spaces

from nonmarkov.checks import check_integer

FORWARD, LEFT, RIGHT = range(3)
CORRIDOR, JUNCTION = 2, 3
LISTEN, OPEN_LEFT, OPEN_RIGHT = range(3)
HEARS_RIGHT = 0.85  # chance of hearing the tiger where it is

Answer = tuple[int, float, bool, bool, dict[str, Any]]


class TMaze(gymnasium.Env[Any, Any]):
    """A corridor; the sign at its beginning says where to turn at its end.

    observation   0 or 1: the sign, to be seen once; 2 the corridor, 3 the junction
    action        forward, left, right; to turn in the corridor is to stay
    reward        4 for turning as the sign said, -1 for the other way, which both end the episode;
                  -0.25 for every other step
    """

    def __init__(self, length: int = 3) -> None:
        self._length = check_integer("length", length, at_least=1)
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(4)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Go to the sign."""
        super().reset(seed=seed)
        self._sign, self._place = int(self.np_random.integers(2)), 0
        return self._sign, {}

    def step(self, action: int) -> Answer:
        """Go on, or turn."""
        if self._place == self._length and action != FORWARD:
            return JUNCTION, 4.0 if action == LEFT + self._sign else -1.0, True, False, {}
        self._place = min(self._place + int(action == FORWARD), self._length)
        return JUNCTION if self._place == self._length else CORRIDOR, -0.25, False, False, {}


class Tiger(gymnasium.Env[Any, Any]):
    """Two doors, a tiger behind one of them, and ears that are not quite reliable.

    observation   0 nothing, 1 heard on the left, 2 heard on the right
    action        listen, open left, open right
    reward        -1 for listening, 10 for the door without the tiger, -100 for the other one

    What one knows after n times listening is a number that no finite automaton can keep. To listen
    until one side leads by three, and then to open the other door, earns 5.16, the most.
    """

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(3)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Put the tiger behind a door."""
        super().reset(seed=seed)
        self._tiger = int(self.np_random.integers(2))
        return 0, {}

    def step(self, action: int) -> Answer:
        """Listen, or open a door."""
        if action == LISTEN:
            right = self.np_random.random() < HEARS_RIGHT
            return 1 + (self._tiger if right else 1 - self._tiger), -1.0, False, False, {}
        eaten = action == OPEN_LEFT + self._tiger
        return 0, -100.0 if eaten else 10.0, True, False, {}
