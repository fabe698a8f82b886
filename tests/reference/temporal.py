"""The semantics of LTLf and LDLf, word for word and slow: positions of a trace, sets of ends."""


def satisfies(formula, trace, i=0):
    """Return whether a formula holds on a trace (a list of sets of names) from position i."""
    kind, *parts = formula
    here, n = trace[i] if i < len(trace) else None, len(trace)
    if kind in CONSTANT:
        return CONSTANT[kind](i < n)
    if kind in ("atom", "not"):
        return (here is not None and parts[0] in here) == (kind == "atom")
    if kind in ("and", "or"):
        return (all if kind == "and" else any)(satisfies(part, trace, i) for part in parts)
    if kind in ("next", "weak"):
        return satisfies(parts[0], trace, i + 1) if i + 1 < n else kind == "weak"
    if kind in ("until", "release"):
        return holds_until(*parts, trace, i) if kind == "until" else holds_with(*parts, trace, i)
    ends = path_ends(parts[0], trace, i)
    return (any if kind == "some" else all)(satisfies(parts[1], trace, j) for j in ends)


def holds_until(left, right, trace, i):
    """Return whether `right` holds at some time and `left` at all times before."""
    return any(
        satisfies(right, trace, j) and all(satisfies(left, trace, m) for m in range(i, j))
        for j in range(i, len(trace))
    )


def holds_with(left, right, trace, i):
    """Return whether `right` holds at all times, or up to and with one at which `left` does."""
    return all(
        satisfies(right, trace, j) or any(satisfies(left, trace, m) for m in range(i, j))
        for j in range(i, len(trace))
    )


CONSTANT = {
    "true": lambda more: True,
    "false": lambda more: False,
    "more": lambda more: more,
    "end": lambda more: not more,
}


def path_ends(path, trace, i):
    """Return the positions that a path can lead to from position i."""
    kind, *parts = path
    if kind == "step":
        return {i + 1} if i < len(trace) and satisfies(parts[0], trace[i : i + 1]) else set()
    if kind == "test":
        return {i} if satisfies(parts[0], trace, i) else set()
    if kind == "choice":
        return path_ends(parts[0], trace, i) | path_ends(parts[1], trace, i)
    if kind == "sequence":
        return {k for j in path_ends(parts[0], trace, i) for k in path_ends(parts[1], trace, j)}
    reached, new = {i}, {i}
    while new:
        new = {k for j in new for k in path_ends(parts[0], trace, j)} - reached
        reached |= new
    return reached
