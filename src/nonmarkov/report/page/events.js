// What changed in the automaton of a run, and when.
const events = (() => {
  const AT_A_TIME = 100;
  const view = { kind: "all", shown: AT_A_TIME };

  function row(event) {
    const go = dom.html(
      "button",
      {
        type: "button",
        class: "link",
        title: "Show the automaton at that time",
        click: () => runs.goToEpisode(event.episode),
      },
      text.whole(event.episode),
    );
    return dom.html(
      "tr",
      null,
      dom.html("td", { class: "number" }, go),
      dom.html("td", null, event.kind),
      dom.html("td", null, event.text),
    );
  }

  function show(all) {
    const place = dom.byId("events-body");
    if (!all.length) {
      place.replaceChildren(dom.html("p", { class: "quiet" }, "No events of this run."));
      return;
    }
    const kinds = [...new Set(all.map((event) => event.kind))].sort();
    if (!kinds.includes(view.kind)) view.kind = "all";
    const wanted = all.filter((event) => view.kind === "all" || event.kind === view.kind);
    const rows = wanted.slice(0, view.shown).map(row);
    const heads = ["episode", "kind", "what happened"].map((name, i) =>
      dom.html("th", { scope: "col", class: i ? null : "number" }, name),
    );
    const more =
      wanted.length > rows.length
        ? dom.html(
            "button",
            {
              type: "button",
              click: () => {
                view.shown += 10 * AT_A_TIME;
                show(all);
              },
            },
            `Show more of ${text.plural(wanted.length, "event")}`,
          )
        : null;
    place.replaceChildren(
      dom.html(
        "div",
        { class: "controls" },
        dom.choice(
          "kind",
          [["all", `all ${all.length}`], ...kinds.map((kind) => [kind, kind])],
          view.kind,
          (value) => {
            view.kind = value;
            view.shown = AT_A_TIME;
            show(all);
          },
        ),
      ),
      dom.html(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Events" },
        dom.html(
          "table",
          null,
          dom.html("thead", null, dom.html("tr", null, heads)),
          dom.html("tbody", null, rows),
        ),
      ),
      more ?? "",
    );
  }

  return { show };
})();
