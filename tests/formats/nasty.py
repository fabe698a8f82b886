"""Labels that try to break out of every language they are written in."""

import nonmarkov as nm

LABELS = (
    *('say "hi"', "new\nline", "back\\slash", "été", "a b", "a_b", "a-b", "", "*/", "//x", "#c"),
    *("$x$", "<b>", "discount", "T", "mdp", "module", "int", "main", "%s", "??/", "a\tb", "\x7f"),
    *("a\0b", "1", 1, 2.5, None, ("x", 1), "observation_0", "action_0", "over", "s0", "terminated"),
)


def nasty_process():
    """Return a process with all of the labels as actions and as observations."""

    def outcomes(state, action):
        at = LABELS.index(action)
        return [(0.5, LABELS[at], 1.5, state), (0.5, LABELS[at - 1], -1.0, state)]

    return nm.RegularProcess.from_outcomes("here", LABELS, outcomes, stop=0.25)
