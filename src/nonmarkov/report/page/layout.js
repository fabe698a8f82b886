// Where the states go: on a ring, in columns by distance from the start, or in the cells of a grid.
const layout = (() => {
  const LARGEST_RING = 8;
  const TALLEST = 9; // states in one column before it is split
  const SWEEPS = 16;

  // Steps from a state along the edges (direction 1) or against them (-1).
  function distances(graph, from, direction) {
    const next = new Map([...graph.nodes.keys()].map((id) => [id, []]));
    for (const { source, target } of graph.edges) {
      if (direction > 0) next.get(source).push(target);
      else next.get(target).push(source);
    }
    const found = new Map([[from, 0]]);
    const queue = next.has(from) ? [from] : [];
    for (const id of queue) {
      for (const other of next.get(id)) {
        if (found.has(other)) continue;
        found.set(other, found.get(id) + 1);
        queue.push(other);
      }
    }
    return found;
  }

  function layers(graph) {
    const there = distances(graph, graph.start, 1);
    const back = graph.focus ? distances(graph, graph.focus, -1) : new Map();
    const level = (id) => {
      if (graph.focus && back.has(id) && !(there.get(id) <= back.get(id))) return -back.get(id);
      return there.get(id) ?? Infinity;
    };
    const byLevel = new Map();
    for (const id of [...there.keys(), ...graph.nodes.keys()]) {
      const at = level(id);
      if (!byLevel.has(at)) byLevel.set(at, new Set());
      byLevel.get(at).add(id);
    }
    return [...byLevel].sort((a, b) => a[0] - b[0]).map(([, ids]) => [...ids]);
  }

  function neighbours(graph) {
    const found = new Map([...graph.nodes.keys()].map((id) => [id, []]));
    for (const { source, target } of graph.edges) {
      if (source === target) continue;
      found.get(source).push(target);
      found.get(target).push(source);
    }
    return found;
  }

  // Order every layer by the mean place of its neighbours, there and back; the best order seen wins.
  function uncross(graph, columns) {
    const near = neighbours(graph);
    let best = columns.map((ids) => [...ids]);
    let least = stretch(graph, best);
    let now = best;
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      const place = places(now);
      now = now.map((ids) => {
        const mean = new Map(
          ids.map((id) => {
            const others = near.get(id).filter((other) => place.has(other));
            return [
              id,
              others.length
                ? statistics.mean(others.map((other) => place.get(other)))
                : place.get(id),
            ];
          }),
        );
        const sorted = [...ids].sort(
          (a, b) => mean.get(a) - mean.get(b) || place.get(a) - place.get(b),
        );
        sorted.forEach((id, row) => place.set(id, row - (sorted.length - 1) / 2));
        return sorted;
      });
      if (sweep % 2) now = now.map((ids) => exchanged(ids, near, places(now)));
      const length = stretch(graph, now);
      if (length < least - 1e-9) [best, least] = [now.map((ids) => [...ids]), length];
    }
    return best;
  }

  // Neighbours in a column change places where that makes their edges shorter.
  function exchanged(ids, near, place) {
    const cost = (id, row) =>
      near.get(id).reduce((sum, other) => sum + Math.abs(place.get(other) - row), 0);
    const order = [...ids];
    for (let i = 0; i + 1 < order.length; i += 1) {
      const [a, b] = [order[i], order[i + 1]];
      const [up, down] = [place.get(a), place.get(b)];
      if (cost(a, down) + cost(b, up) < cost(a, up) + cost(b, down)) {
        [order[i], order[i + 1]] = [b, a];
        place.set(a, down);
        place.set(b, up);
      }
    }
    return order;
  }

  function places(columns) {
    const place = new Map();
    for (const ids of columns) ids.forEach((id, row) => place.set(id, row - (ids.length - 1) / 2));
    return place;
  }

  function stretch(graph, columns) {
    const place = places(columns);
    return graph.edges.reduce(
      (sum, edge) => sum + Math.abs(place.get(edge.source) - place.get(edge.target)),
      0,
    );
  }

  // Columns from left to right, going on below like lines of text when they would not fit.
  function columns(graph, gap, aspect) {
    const ordered = uncross(graph, layers(graph)).flatMap((ids) => {
      const parts = Math.ceil(ids.length / TALLEST);
      const size = Math.ceil(ids.length / parts);
      return Array.from({ length: parts }, (_, part) => ids.slice(part * size, (part + 1) * size));
    });
    const perBand = bandLength(ordered, gap, aspect);
    const found = new Map();
    let top = 0;
    for (let first = 0; first < ordered.length; first += perBand) {
      const band = ordered.slice(first, first + perBand);
      const tallest = Math.max(...band.map((ids) => ids.length));
      band.forEach((ids, column) =>
        ids.forEach((id, row) => {
          // Odd columns stand a little lower, so that edges within a row do not run through states.
          const shift = ids.length > 1 || tallest > 1 ? (column % 2) * 0.24 : 0;
          const y = top + ((tallest - ids.length) / 2 + row + shift) * gap.y;
          found.set(id, { x: column * gap.x, y });
        }),
      );
      top += (tallest + 0.9) * gap.y;
    }
    return found;
  }

  function bandLength(ordered, gap, aspect) {
    let best = ordered.length;
    let nearest = Infinity;
    for (let bands = 1; bands <= ordered.length; bands += 1) {
      const length = Math.ceil(ordered.length / bands); // bands of about the same length
      let height = 0;
      for (let first = 0; first < ordered.length; first += length) {
        height += Math.max(...ordered.slice(first, first + length).map((ids) => ids.length)) + 0.9;
      }
      const off = Math.abs(Math.log((length * gap.x) / (height * gap.y) / aspect));
      if (off < nearest) [best, nearest] = [length, off];
    }
    return best;
  }

  function ring(graph, gap, aspect) {
    const ids = layers(graph).flat();
    const found = new Map();
    const around = (ids.length * Math.hypot(gap.x, gap.y)) / (2 * Math.PI);
    const radius = Math.max(0.55 * gap.x, 0.8 * around);
    const wide = Math.max(0.8, Math.min(1.25, aspect));
    ids.forEach((id, i) => {
      const angle = Math.PI - (2 * Math.PI * i) / ids.length;
      const alone = ids.length === 1 ? 0 : 1;
      found.set(id, {
        x: alone * radius * wide * Math.cos(angle),
        y: alone * (-radius / wide) * Math.sin(angle),
      });
    });
    return found;
  }

  function automatic(graph, gap, aspect) {
    const small = graph.nodes.size <= LARGEST_RING && !graph.focus;
    return small ? ring(graph, gap, aspect) : columns(graph, gap, aspect);
  }

  // States that are not in the layout, because they are gone later, go to free places near
  // their neighbours.
  function complete(found, graph, gap) {
    const all = new Map(found);
    const near = neighbours(graph);
    for (const id of graph.nodes.keys()) {
      if (all.has(id)) continue;
      const others = near
        .get(id)
        .filter((other) => all.has(other))
        .map((other) => all.get(other));
      const x = others.length ? statistics.mean(others.map((place) => place.x)) : 0;
      const y = others.length ? statistics.mean(others.map((place) => place.y)) : 0;
      all.set(id, freePlace(x, y, [...all.values()], 0.55 * Math.min(gap.x, gap.y)));
    }
    return all;
  }

  function freePlace(x, y, taken, room) {
    for (let turn = 1; turn < 2000; turn += 1) {
      const [angle, radius] = [turn * 2.399963, room * 0.5 * Math.sqrt(turn)];
      const place = { x: x + radius * Math.cos(angle), y: y + radius * Math.sin(angle) };
      if (taken.every((other) => Math.hypot(other.x - place.x, other.y - place.y) > room))
        return place;
    }
    return { x, y };
  }

  // The cell in which a state was last seen, as the observations on the way to it tell.
  function cells(snapshot, grid) {
    const inside = (cell) =>
      Array.isArray(cell) &&
      cell.length === 2 &&
      cell.every(Number.isInteger) &&
      cell[0] >= 0 &&
      cell[0] < grid.width &&
      cell[1] >= 0 &&
      cell[1] < grid.height;
    return automaton
      .observed(snapshot)
      .map(
        (labels, state) => labels.find(inside) || (state === snapshot.start ? grid.start : null),
      );
  }

  // A cell and a place in it for every state of the run, the same in all snapshots. Snapshots are
  // taken from the last to the first, so that what was learned in the end is in good order.
  function inCells(snapshots, identities, grid, room) {
    const slots = new Map();
    let most = 1;
    for (let number = snapshots.length - 1; number >= 0; number -= 1) {
      const seen = cells(snapshots[number], grid);
      const shown = seen
        .map((_, state) => state)
        .filter((state) => onBoard(snapshots[number], state));
      const used = new Set();
      const key = ({ cell, turn }) => `${cell} ${turn}`;
      for (const state of shown) {
        const slot = slots.get(identities[number][state]);
        if (slot) used.add(key(slot));
      }
      for (const state of shown) {
        const id = identities[number][state];
        if (slots.has(id)) continue;
        const slot = { cell: seen[state], turn: 0 };
        while (used.has(key(slot))) slot.turn += 1;
        used.add(key(slot));
        slots.set(id, slot);
        if (slot.cell) most = Math.max(most, slot.turn + 1);
      }
    }
    const across = Math.ceil(Math.sqrt(most));
    return {
      slots,
      across,
      down: Math.ceil(most / across),
      side: Math.max(1.9 * room, (across + 0.45) * room),
    };
  }

  // Candidates have no place on the board: there are many, and they say little about cells.
  const onBoard = (snapshot, state) => snapshot.states[state].safe || state === snapshot.start;

  function onGrid(graph, grid, { slots, across, down, side }, room) {
    const within = ([column, row], turn) => ({
      x: (column + 0.5) * side + ((turn % across) - (across - 1) / 2) * room,
      y: (grid.height - row - 0.5) * side + (Math.floor(turn / across) - (down - 1) / 2) * room,
    });
    const found = new Map();
    for (const id of graph.nodes.keys()) {
      const { cell, turn } = slots.get(id);
      found.set(id, cell ? within(cell, turn) : beside(turn, grid, side, room));
    }
    return found;
  }

  function beside(turn, grid, side, room) {
    const rows = Math.max(1, Math.floor((grid.height * side) / room));
    return {
      x: grid.width * side + room * (0.9 + Math.floor(turn / rows)),
      y: room * (1 + (turn % rows)),
    };
  }

  // The part of a graph that is drawn on the board.
  function board(graph) {
    const nodes = new Map([...graph.nodes].filter(([, node]) => node.safe || node.start));
    const edges = graph.edges.filter((edge) => nodes.has(edge.source) && nodes.has(edge.target));
    return { nodes, edges, start: graph.start };
  }

  return { distances, automatic, complete, inCells, onGrid, board, LARGEST_RING };
})();
