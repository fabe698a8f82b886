// The summary: one row for every configuration and method, and method against method.
const summary = (() => {
  const order = { column: -1, sign: 1 };
  const matrixOrder = { column: -1, sign: 1 };
  const view = { filter: "", measure: "to95" };
  const MEASURES = {
    to95: ["episodes to 95 %", (row) => row.to95, text.whole, -1],
    share: ["percent of optimal", (row) => row.share, text.percent, 1],
    score: ["score", (row) => row.score, (value) => text.number(value), 1],
    states: ["states", (row) => row.states, (value) => text.number(value), 0],
    seconds: ["time", (row) => row.seconds, text.seconds, -1],
  };

  function swatch(method) {
    const dot = dom.coloured(dom.html("span", { class: "dot" }), store.colour(method));
    return dom.html("span", { class: "method" }, dot, method);
  }

  function scoreCell(row) {
    if (row.score === null) return text.NOTHING;
    const spread = row.seeds > 1 && row.most > row.least;
    const range = spread ? ` (${text.number(row.least)} to ${text.number(row.most)})` : "";
    return [text.number(row.score), dom.html("span", { class: "quiet" }, range)];
  }

  function statesCell(row) {
    const minimal = row.minimal === null ? "" : ` (${text.whole(row.minimal)})`;
    const right = row.done > 0 && row.right === row.done && row.states >= row.minimal;
    const mark = right
      ? dom.html(
          "span",
          { title: "an exact abstraction of the whole process", class: "good" },
          " ✓",
        )
      : null;
    return [text.number(row.states), dom.html("span", { class: "quiet" }, minimal), mark];
  }

  function reachedCell(row) {
    if (row.to95 !== null) return text.whole(row.to95);
    if (!row.done) return text.NOTHING;
    const words = row.reached ? `${row.reached} of ${row.done} seeds` : "not reached";
    return dom.html("span", { class: "quiet" }, words);
  }

  function seedsCell(row) {
    if (!row.running) return text.whole(row.seeds);
    const share = `${Math.floor(100 * row.progress)} %`;
    return [
      text.whole(row.seeds),
      dom.html("span", { class: "going" }, ` ${row.running} running, ${share}`),
    ];
  }

  function columns(withRest) {
    const name = (row) => `${row.configuration.domain}${row.configuration.rest}`;
    const open = (row) => () => main.openRun(row.group.runs[0].name, true);
    const link = (row) =>
      dom.html(
        "button",
        { type: "button", class: "link", click: open(row), title: "Show its automaton" },
        row.configuration.domain,
      );
    const rest = (row) => dom.html("span", { class: "quiet" }, row.configuration.rest);
    return [
      { title: "domain", value: name, cell: (row) => [link(row), withRest ? " " : "", rest(row)] },
      {
        title: "k",
        value: (row) => row.configuration.k,
        numeric: true,
        cell: (row) =>
          row.configuration.k === null ? text.NOTHING : text.label(row.configuration.k),
      },
      {
        title: "method",
        value: (row) => row.group.method,
        cell: (row) => swatch(row.group.method),
      },
      { title: "seeds", value: (row) => row.seeds, numeric: true, cell: seedsCell },
      {
        title: "score",
        value: (row) => row.score,
        numeric: true,
        cell: scoreCell,
        hint: "exact reward per step of the greedy policy at the end: mean over seeds, least to most",
      },
      {
        title: "of optimal",
        value: (row) => row.share,
        numeric: true,
        cell: (row) => text.percent(row.share),
        hint: "mean score divided by the optimal score",
      },
      {
        title: "states",
        value: (row) => row.states,
        numeric: true,
        cell: statesCell,
        hint: "median over seeds, in brackets the least number that any abstraction has",
      },
      {
        title: "episodes to 95 %",
        value: (row) => row.to95,
        numeric: true,
        cell: reachedCell,
        hint: "median over seeds, if all got to 95 % of the optimal score and stayed there",
      },
      {
        title: "time",
        value: (row) => row.seconds,
        numeric: true,
        cell: (row) => text.seconds(row.seconds),
        hint: "mean over seeds",
      },
    ];
  }

  function matrix(rows, methods) {
    const [, value, show, sign] = MEASURES[view.measure];
    const found = new Map(rows.map((row) => [`${row.configuration.key} ${row.group.method}`, row]));
    const cell = (configuration, method) => found.get(`${configuration.key} ${method}`);
    const best = (configuration) => {
      const values = methods
        .map((method) => cell(configuration, method))
        .map((row) => (row ? value(row) : null))
        .filter((entry) => entry !== null);
      return sign && values.length > 1
        ? sign * Math.max(...values.map((entry) => sign * entry))
        : null;
    };
    const shown = (configuration, method) => {
      const row = cell(configuration, method);
      const number = row ? value(row) : null;
      if (number === null) return row && view.measure === "to95" ? reachedCell(row) : text.NOTHING;
      return number === best(configuration) ? dom.html("strong", null, show(number)) : show(number);
    };
    const lines = [...new Set(rows.map((row) => row.configuration))];
    const wanted = [
      { title: "configuration", value: (one) => one.title, cell: (one) => one.title },
      ...methods.map((method) => ({
        title: method,
        numeric: true,
        value: (one) => (cell(one, method) ? value(cell(one, method)) : null),
        cell: (one) => shown(one, method),
      })),
    ];
    return table.sortable("Method against method", wanted, lines, matrixOrder);
  }

  function matches(row) {
    const words = `${row.configuration.title} ${row.group.method}`.toLowerCase();
    return view.filter
      .toLowerCase()
      .split(/\s+/)
      .every((word) => words.includes(word));
  }

  function show() {
    const place = dom.byId("summary-body");
    const all = store
      .configurations()
      .flatMap((one) => one.groups.map((group) => statistics.summary(one, group)));
    if (!all.length) {
      place.replaceChildren(
        dom.html("p", { class: "quiet" }, "There are no runs in this folder yet."),
      );
      return;
    }
    const focused = document.activeElement && document.activeElement.id === "filter";
    const rows = dom.html("div");
    const versus = dom.html("div");
    const fillRows = () => {
      const kept = all.filter(matches);
      rows.replaceChildren(table.sortable("Results", columns(true), kept, order));
      versus.replaceChildren(matrix(kept, store.methods()));
    };
    const filter = dom.html("input", {
      type: "search",
      id: "filter",
      value: view.filter,
      input: () => {
        view.filter = filter.value;
        fillRows();
      },
    });
    const measures = Object.entries(MEASURES).map(([key, [title]]) => [key, title]);
    fillRows();
    place.replaceChildren(
      dom.html(
        "div",
        { class: "controls" },
        dom.html(
          "label",
          { class: "field" },
          dom.html("span", null, "filter by domain, k or method"),
          filter,
        ),
      ),
      rows,
      dom.html(
        "p",
        { class: "caption" },
        "Score: exact, of the greedy policy; mean over seeds, and least to most. States: median over seeds, in " +
          "brackets the minimal number; ✓ where all seeds found an exact abstraction of the whole process. Headers sort.",
      ),
      store.methods().length > 1 ? dom.html("h3", null, "Method against method") : null,
      store.methods().length > 1
        ? dom.html(
            "div",
            { class: "controls" },
            dom.choice("compare", measures, view.measure, (value) => {
              view.measure = value;
              fillRows();
            }),
          )
        : null,
      store.methods().length > 1 ? versus : null,
    );
    if (focused) filter.focus();
  }

  return { show, swatch };
})();
