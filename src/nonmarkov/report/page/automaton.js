// Snapshots as graphs: states and merged edges, followed from one snapshot to the next.
const automaton = (() => {
  const symbol = (edge, actions) =>
    `${text.label(actions[edge[1]])}|${JSON.stringify(edge[2])}|${edge[3]}`;

  // Give every state an identity that lasts: states of consecutive snapshots are the same if the
  // same symbols lead to them from the start, those that were passed most often first.
  function identify(snapshots) {
    const all = [];
    let fresh = 0;
    snapshots.forEach((snapshot, number) => {
      const known = number ? follow(snapshots[number - 1], snapshot) : new Map();
      const before = number ? all[number - 1] : [];
      all.push(
        snapshot.states.map((_, state) => {
          if (known.has(state)) return before[known.get(state)];
          fresh += 1;
          return `s${fresh}`;
        }),
      );
    });
    return all;
  }

  function successors(snapshot) {
    const table = snapshot.states.map(() => new Map());
    const edges = [...snapshot.edges].sort((a, b) => (b[5] || 0) - (a[5] || 0));
    for (const edge of edges) table[edge[0]].set(symbol(edge, snapshot.actions), edge[4]);
    return table;
  }

  function follow(before, after) {
    const [old, now] = [successors(before), successors(after)];
    const match = new Map([[after.start, before.start]]);
    const taken = new Set([before.start]);
    const queue = [after.start];
    while (queue.length) {
      const state = queue.shift();
      for (const [word, target] of now[state]) {
        const twin = old[match.get(state)].get(word);
        if (twin === undefined || match.has(target) || taken.has(twin)) continue;
        match.set(target, twin);
        taken.add(twin);
        queue.push(target);
      }
    }
    // What no symbol leads to can only be known by its number.
    after.states.forEach((_, state) => {
      if (match.has(state) || taken.has(state) || state >= before.states.length) return;
      match.set(state, state);
      taken.add(state);
    });
    return match;
  }

  // The actions that the policy prefers in a state; none if it takes all of them alike.
  const preferred = (state, actions) => (state.policy.length < actions.length ? state.policy : []);

  // {nodes: Map id -> node, edges: [edge], start}; edges between the same two states are one.
  function graph(snapshot, ids) {
    const nodes = new Map();
    snapshot.states.forEach((state, index) => {
      nodes.set(ids[index], {
        id: ids[index],
        index,
        safe: state.safe,
        visits: state.visits,
        policy: preferred(state, snapshot.actions),
        members: [index],
        start: index === snapshot.start,
      });
    });
    const edges = new Map();
    for (const [
      from,
      action,
      observation,
      reward,
      to,
      count,
      probability,
      decided,
    ] of snapshot.edges) {
      const [source, target] = [ids[from], ids[to]];
      const policy = nodes.get(source).policy.includes(action);
      const label = {
        from,
        to,
        action: text.label(snapshot.actions[action]),
        observation,
        reward,
        count,
        probability,
        decided,
        policy,
      };
      joined(edges, source, target).labels.push(label);
    }
    for (const edge of edges.values()) settle(edge);
    return { nodes, edges: [...edges.values()], start: ids[snapshot.start] };
  }

  function joined(edges, source, target) {
    const key = `${source}>${target}`;
    if (!edges.has(key)) edges.set(key, { key, source, target, labels: [] });
    return edges.get(key);
  }

  function settle(edge) {
    edge.labels.sort((a, b) => b.policy - a.policy || (b.count || 0) - (a.count || 0));
    edge.policy = edge.labels.some((label) => label.policy);
    edge.decided = edge.labels.some((label) => label.decided);
  }

  // What was observed on the way into every state, the most frequent first: index -> [label].
  function observed(snapshot) {
    const seen = snapshot.states.map(() => new Map());
    for (const [, , observation, , to, count] of snapshot.edges) {
      const key = JSON.stringify(observation);
      seen[to].set(key, (seen[to].get(key) || 0) + (count || 0) + 1);
    }
    return seen.map((counts) =>
      [...counts].sort((a, b) => b[1] - a[1]).map(([key]) => JSON.parse(key)),
    );
  }

  // Which group a state belongs to under a kind of grouping, or null for none.
  const KEYS = {
    none: () => () => null,
    candidates: (full) => {
      const parent = new Map();
      for (const edge of full.edges)
        if (!parent.has(edge.target)) parent.set(edge.target, edge.source);
      return (node) => (node.safe ? null : `candidates of ${parent.get(node.id)}`);
    },
    observation: (full, snapshot) => {
      const seen = observed(snapshot);
      return (node) =>
        node.start || !seen[node.index].length ? null : `seen ${text.label(seen[node.index][0])}`;
    },
    distance: (full) => {
      const distance = layout.distances(full, full.start, 1);
      return (node) => (node.start ? null : `distance ${distance.get(node.id) ?? "none"}`);
    },
  };

  // The same graph with every group of two or more states as one node.
  function grouped(full, snapshot, kind) {
    const key = (KEYS[kind] || KEYS.none)(full, snapshot);
    const groups = new Map();
    for (const node of full.nodes.values()) {
      const name = key(node);
      if (name === null) continue;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(node);
    }
    const place = new Map([...full.nodes.keys()].map((id) => [id, id]));
    const nodes = new Map();
    for (const [name, members] of groups) {
      if (members.length < 2) continue;
      const id = `group ${name}`;
      for (const node of members) place.set(node.id, id);
      nodes.set(id, {
        id,
        group: name,
        index: null,
        safe: members.every((node) => node.safe),
        visits: members.reduce((sum, node) => sum + (node.visits || 0), 0),
        policy: [],
        members: members.map((node) => node.index),
        start: false,
      });
    }
    for (const node of full.nodes.values())
      if (place.get(node.id) === node.id) nodes.set(node.id, node);
    const edges = new Map();
    for (const edge of full.edges) {
      joined(edges, place.get(edge.source), place.get(edge.target)).labels.push(...edge.labels);
    }
    for (const edge of edges.values()) settle(edge);
    return { nodes, edges: [...edges.values()], start: place.get(full.start) };
  }

  // Only what is at most so many steps from a state, in either direction.
  function neighbourhood(full, centre, hops) {
    const [there, back] = [layout.distances(full, centre, 1), layout.distances(full, centre, -1)];
    const near = (id) => Math.min(there.get(id) ?? Infinity, back.get(id) ?? Infinity) <= hops;
    const nodes = new Map([...full.nodes].filter(([id]) => near(id)));
    const edges = full.edges.filter((edge) => nodes.has(edge.source) && nodes.has(edge.target));
    return { nodes, edges, start: centre, focus: centre };
  }

  return { identify, graph, grouped, neighbourhood, observed };
})();
