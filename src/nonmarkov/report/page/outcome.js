// How a run ended, or how far it is: a line, and all that it was told and certified.
const outcome = (() => {
  function exactness({ result, minimal_states: minimal }) {
    if (!result.right) return "no exact abstraction";
    if (result.states >= minimal) return "an exact abstraction";
    return `an exact abstraction as far as it goes, ${text.whole(result.states)} of ${text.plural(minimal, "state")}`;
  }

  function show(run) {
    const optimal = run.optimal_score;
    const score = store.score(run);
    const share =
      optimal && text.isNumber(score) ? `, ${text.percent(score / optimal)} of optimal` : "";
    const certificate = run.result ? Object.entries(run.result.certificate || {}) : [];
    const line = [
      run.complete
        ? `complete, ${text.plural(store.reached(run), "episode")}`
        : `running, ${text.whole(store.reached(run))} of ${text.plural(run.episodes, "episode")}`,
      text.isNumber(score) ? `score ${text.number(score)}${share}` : null,
      run.result ? exactness(run) : null,
      text.isNumber(run.seconds) ? text.seconds(run.seconds) : null,
    ]
      .filter(Boolean)
      .join(" · ");
    const parameters = Object.entries({ ...run.parameters, ...run.settings });
    const value = (entry) =>
      Array.isArray(entry) || entry === null || typeof entry !== "object"
        ? text.label(entry)
        : JSON.stringify(entry);
    const name = store
      .configurations()
      .find((one) => one.groups.some((group) => group.runs.includes(run))).title;
    const title = dom.html(
      "h3",
      { class: "printed" },
      `${name}: ${store.methodTitle(run)}, seed ${run.seed}`,
    );
    return dom.html(
      "div",
      { class: "outcome" },
      title,
      dom.html("p", null, line),
      dom.html(
        "details",
        null,
        dom.html("summary", null, "Specification and certificate"),
        inspector.facts([
          ["run", run.name],
          ["seed", String(run.seed)],
          ...parameters.map(([name, entry]) => [name, value(entry)]),
          ...certificate.map(([name, entry]) => [
            `certificate: ${name.replaceAll("_", " ")}`,
            value(entry),
          ]),
        ]),
      ),
    );
  }

  return { show };
})();
