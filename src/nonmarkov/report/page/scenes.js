// What is drawn of a run at one snapshot: which states, in which groups, at which places.
const scenes = (() => {
  const CELL = 60; // room for one state on a board
  const MANY_CANDIDATES = 4;
  const FEW_EDGES = 16;
  const FEW_POLICY_EDGES = 36;

  // Candidates are put together in all snapshots if any has many: nothing changes its shape then.
  function grouping(view, book) {
    if (view.grouping !== "auto") return view.grouping;
    const candidates = (one) => one.states.filter((state) => !state.safe).length;
    return book.snapshots.some((one) => candidates(one) > MANY_CANDIDATES) ? "candidates" : "none";
  }

  function shownGraph(book, number, view) {
    const full = automaton.graph(book.snapshots[number], book.identities[number]);
    const shown = automaton.grouped(full, book.snapshots[number], grouping(view, book));
    const inFocus = view.focus !== null && shown.nodes.has(view.focus);
    return { full, shown: inFocus ? automaton.neighbourhood(shown, view.focus, view.hops) : shown };
  }

  function labelKind(view, shown) {
    if (view.labels !== "auto") return view.labels;
    if (shown.edges.length <= FEW_EDGES) return "all";
    return shown.edges.filter((edge) => edge.policy).length <= FEW_POLICY_EDGES ? "policy" : "none";
  }

  function gaps(shown, kind) {
    if (kind === "none") return { x: 92, y: 78 };
    const wanted = shown.edges.filter((edge) => kind === "all" || edge.policy);
    const longest = Math.max(
      8,
      ...wanted.flatMap((edge) => edges.lines(edge).map((line) => line.words.length)),
    );
    return { x: Math.min(290, 6.2 * longest + 74), y: 118 };
  }

  // Places for the states of all snapshots at once: those of the last come first, so nothing jumps.
  function allPlaces(book, view, aspect) {
    const last = book.snapshots.length - 1;
    const kept = view.focus === null ? last : lastWith(book, view, last);
    const { shown } = shownGraph(book, kept, view);
    const labels = labelKind(view, shown);
    const gap = gaps(shown, labels);
    let places = layout.automatic(shown, gap, aspect);
    for (let number = last; number >= 0; number -= 1) {
      places = layout.complete(places, shownGraph(book, number, view).shown, gap);
    }
    return { places, labels };
  }

  function lastWith(book, view, last) {
    for (let number = last; number >= 0; number -= 1) {
      if (shownGraph(book, number, view).shown.focus) return number;
    }
    return last;
  }

  function board(book, view, grid) {
    const slots = layout.inCells(book.snapshots, book.identities, grid, CELL);
    const full = automaton.graph(book.snapshots[view.number], book.identities[view.number]);
    const shown = layout.board(full);
    const places = layout.onGrid(shown, grid, slots, CELL);
    const cells = boardParts(grid, slots.side);
    if ([...shown.nodes.keys()].some((id) => slots.slots.get(id).cell === null)) {
      const place = { class: "cell-name", x: grid.width * slots.side + 0.45 * CELL, y: 12 };
      cells.parts.push(dom.svg("text", place, "cell never seen"));
    }
    return { full, shown, places, cells };
  }

  function boardParts(grid, side) {
    const parts = [];
    const same = (cell, x, y) => cell && cell[0] === x && cell[1] === y;
    for (let y = 0; y < grid.height; y += 1) {
      for (let x = 0; x < grid.width; x += 1) {
        const [left, top] = [x * side, (grid.height - 1 - y) * side];
        const name = same(grid.goal, x, y) ? "cell goal-cell" : "cell";
        parts.push(dom.svg("rect", { class: name, x: left, y: top, width: side, height: side }));
        const words = same(grid.goal, x, y)
          ? `${x}, ${y} goal`
          : same(grid.start, x, y)
            ? `${x}, ${y} start`
            : `${x}, ${y}`;
        parts.push(dom.svg("text", { class: "cell-name", x: left + 5, y: top + 12 }, words));
      }
    }
    return {
      parts,
      corners: [
        { x: 0, y: 0 },
        { x: grid.width * side, y: grid.height * side },
      ],
    };
  }

  // Everything that the drawing needs; `memory` keeps places that are still right.
  function scene(book, view, run, aspect, memory) {
    if (run.grid && view.kind === "grid") {
      const found = board(book, view, run.grid);
      return finish(book, view, {
        ...found,
        labels: view.labels === "auto" ? "none" : view.labels,
      });
    }
    const { full, shown } = shownGraph(book, view.number, view);
    const key = [view.grouping, view.labels, view.focus, view.hops, aspect.toFixed(1)].join("|");
    if (memory.key !== key || memory.book !== book) {
      Object.assign(memory, { key, book, ...allPlaces(book, view, aspect) });
    }
    return finish(book, view, {
      full,
      shown,
      places: memory.places,
      labels: memory.labels,
      cells: null,
    });
  }

  function finish(book, view, found) {
    const before = view.number ? new Set(book.identities[view.number - 1]) : null;
    const places = [...found.shown.nodes.keys()].map((id) => found.places.get(id));
    const middle = {
      x: statistics.mean(places.map((at) => at.x)) ?? 0,
      y: statistics.mean(places.map((at) => at.y)) ?? 0,
    };
    const fresh = new Set(
      before
        ? [...found.shown.nodes.keys()].filter((id) => !id.startsWith("group") && !before.has(id))
        : [],
    );
    return {
      ...found,
      middle,
      fresh,
      matches: matches(view.search, book.snapshots[view.number], found),
      snapshot: book.snapshots[view.number],
      previous: view.number ? book.snapshots[view.number - 1] : null,
      events: book.events,
    };
  }

  // States that a search finds: by number, by what was observed on the way, by the policy's action.
  function matches(search, snapshot, { shown }) {
    const word = search.trim().toLowerCase();
    if (!word) return new Set();
    const seen = automaton.observed(snapshot);
    const number = /^\d+$/.test(word) ? Number(word) : null;
    const fits = (index) => {
      if (number !== null) return index === number;
      const actions = snapshot.states[index].policy.map((action) =>
        text.label(snapshot.actions[action]),
      );
      return [...seen[index].map(text.label), ...actions].some((words) =>
        words.toLowerCase().includes(word),
      );
    };
    return new Set(
      [...shown.nodes.values()].filter((node) => node.members.some(fits)).map((node) => node.id),
    );
  }

  return { scene };
})();
