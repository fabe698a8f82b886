// What is known about a state, an edge, or the whole automaton of a snapshot, in words and numbers.
const inspector = (() => {
  const MOST_EVENTS = 6;
  const MOST_MEMBERS = 60;

  function facts(pairs) {
    return dom.html(
      "dl",
      { class: "facts" },
      pairs
        .filter((pair) => pair[1] !== null)
        .map(([name, value]) =>
          dom.html("div", null, dom.html("dt", null, name), dom.html("dd", null, value)),
        ),
    );
  }

  const stateButton = (scene, index, words) =>
    dom.html(
      "button",
      { type: "button", class: "link", click: () => scene.goTo(index) },
      words || `state ${index}`,
    );

  function labelTable(scene, labels, ends) {
    const row = (label) =>
      dom.html(
        "tr",
        { class: label.policy ? "chosen" : null },
        ends.from
          ? dom.html("td", { class: "number" }, stateButton(scene, label.from, String(label.from)))
          : null,
        dom.html("td", null, label.action),
        dom.html("td", null, text.label(label.observation)),
        dom.html("td", { class: "number" }, text.number(label.reward)),
        ends.to
          ? dom.html("td", { class: "number" }, stateButton(scene, label.to, String(label.to)))
          : null,
        dom.html("td", { class: "number" }, text.whole(label.count)),
        dom.html(
          "td",
          { class: "number" },
          text.isNumber(label.probability) ? label.probability.toFixed(3) : text.NOTHING,
        ),
        dom.html("td", null, label.decided ? "yes" : "not yet"),
      );
    const names = [
      ends.from ? "from" : null,
      "action",
      "observation",
      "reward",
      ends.to ? "to" : null,
      "count",
      "prob.",
      "decided",
    ];
    const heads = names.filter(Boolean).map((name) => dom.html("th", { scope: "col" }, name));
    return dom.html(
      "div",
      { class: "scroll" },
      dom.html(
        "table",
        { class: "tight" },
        dom.html("thead", null, dom.html("tr", null, heads)),
        dom.html("tbody", null, labels.map(row)),
      ),
    );
  }

  // Events since the snapshot before, those that name one of the states first.
  function nearbyEvents(scene, states) {
    const since = scene.previous ? scene.previous.episodes : -1;
    const within = scene.events.filter(
      (event) => event.episode > since && event.episode <= scene.snapshot.episodes,
    );
    const names = (event) =>
      states.some((state) =>
        new RegExp(`\\b(states?|edge \\(|new state,) ?${state}\\b`).test(event.text),
      );
    const sorted = [...within].sort((a, b) => names(b) - names(a));
    if (!sorted.length)
      return dom.html("p", { class: "quiet" }, "No events since the snapshot before.");
    const items = sorted
      .slice(0, MOST_EVENTS)
      .map((event) =>
        dom.html(
          "li",
          null,
          dom.html("span", { class: "quiet" }, `${text.whole(event.episode)} · ${event.kind} · `),
          event.text,
        ),
      );
    const rest = sorted.length - items.length;
    return [
      dom.html("ul", { class: "events" }, items),
      rest ? dom.html("p", { class: "quiet" }, `and ${rest} more below`) : null,
    ];
  }

  function outgoing(scene, index) {
    return scene.full.edges.flatMap((edge) => edge.labels).filter((label) => label.from === index);
  }

  function incoming(scene, index) {
    return scene.full.edges.flatMap((edge) => edge.labels).filter((label) => label.to === index);
  }

  function node(scene, one) {
    if (one.group) return group(scene, one);
    const actions = one.policy.map((action) => text.label(scene.snapshot.actions[action]));
    const seen = automaton
      .observed(scene.snapshot)
      [one.index].slice(0, 4)
      .map(text.label)
      .join(" or ");
    const [out, into] = [outgoing(scene, one.index), incoming(scene, one.index)];
    const open = out.filter((label) => !label.decided).length;
    return [
      dom.html(
        "h3",
        null,
        `State ${one.index}`,
        dom.html("span", { class: "quiet" }, one.start ? " start" : ""),
      ),
      facts([
        ["kind", one.safe ? "safe" : "candidate"],
        ["visits", text.whole(one.visits)],
        ["policy", actions.length ? actions.join(" or ") : "no preference"],
        ["reached by", seen || null],
        ["undecided edges", out.length ? text.whole(open) : null],
      ]),
      dom.html(
        "p",
        null,
        dom.html(
          "button",
          { type: "button", click: () => scene.focus(one.id) },
          "Show only its neighbourhood",
        ),
      ),
      out.length ? [dom.html("h4", null, "Leaves by"), labelTable(scene, out, { to: true })] : null,
      into.length
        ? [dom.html("h4", null, "Entered by"), labelTable(scene, into, { from: true })]
        : null,
      dom.html("h4", null, "Events at the time"),
      nearbyEvents(scene, [one.index]),
    ];
  }

  function group(scene, one) {
    const listed = one.members
      .slice(0, MOST_MEMBERS)
      .map((index) => [stateButton(scene, index, String(index)), " "]);
    const rest = one.members.length - Math.min(MOST_MEMBERS, one.members.length);
    return [
      dom.html("h3", null, `${one.members.length} states`),
      dom.html(
        "p",
        null,
        one.group.startsWith("candidates")
          ? "Candidates that one state leads to."
          : `Grouped by ${one.group}.`,
      ),
      facts([["visits", text.whole(one.visits)]]),
      dom.html("p", null, "States: ", listed, rest ? `and ${rest} more` : null),
    ];
  }

  function edge(scene, one) {
    const [from, to] = [scene.shown.nodes.get(one.source), scene.shown.nodes.get(one.target)];
    const name = (end) => (end.group ? `${end.members.length} states` : `state ${end.index}`);
    const total = one.labels.reduce((sum, label) => sum + (label.count || 0), 0);
    return [
      dom.html("h3", null, `From ${name(from)} to ${name(to)}`),
      facts([
        [
          "passed",
          one.labels.some((label) => text.isNumber(label.count))
            ? text.plural(total, "time")
            : "not counted",
        ],
        ["labels", text.whole(one.labels.length)],
        ["taken by the policy", one.policy ? "yes" : "no"],
      ]),
      labelTable(scene, one.labels, { from: Boolean(from.group), to: Boolean(to.group) }),
      dom.html("h4", null, "Events at the time"),
      nearbyEvents(scene, [...from.members, ...to.members].slice(0, 20)),
    ];
  }

  function overview(scene) {
    const { snapshot, previous } = scene;
    const safe = snapshot.states.filter((state) => state.safe).length;
    const open = snapshot.edges.filter((one) => !one[7]).length;
    const before = previous ? previous.states.filter((state) => state.safe).length : null;
    const change = before === null || before === safe ? "" : ` (${before} in the snapshot before)`;
    return [
      dom.html("h3", null, `After ${text.plural(snapshot.episodes, "episode")}`),
      facts([
        ["score", text.number(snapshot.score)],
        ["safe states", `${text.whole(safe)}${change}`],
        ["candidates", text.whole(snapshot.states.length - safe)],
        ["edges", text.whole(snapshot.edges.length)],
        ["undecided", text.whole(open)],
      ]),
      dom.html(
        "p",
        { class: "quiet" },
        "Click a state or an edge, or go there with Tab and the arrow keys, to see counts and evidence.",
      ),
      dom.html("h4", null, "Events since the snapshot before"),
      nearbyEvents(scene, []),
    ];
  }

  function show(scene, chosen) {
    const { shown } = scene;
    if (chosen && chosen.kind === "node" && shown.nodes.has(chosen.key))
      return node(scene, shown.nodes.get(chosen.key));
    const found =
      chosen && chosen.kind === "edge" && shown.edges.find((one) => one.key === chosen.key);
    return found ? edge(scene, found) : overview(scene);
  }

  return { show, facts };
})();
