// One run: which, how it ended, and its automaton at every snapshot.
const runs = (() => {
  const view = {
    name: null,
    number: 0,
    kind: "grid",
    grouping: "auto",
    labels: "auto",
    focus: null,
    hops: 1,
    search: "",
  };
  const memory = {};
  let book = null; // {snapshots, identities, events} of the run that is shown
  let version = null;
  let chosen = null;
  let current = null; // the scene that is drawn
  let drawing = null;
  let playing = null;
  let parts = null;

  async function open(name) {
    const another = name !== view.name;
    if (another) chosen = null;
    if (another) Object.assign(view, { name, number: Infinity, focus: null, search: "" });
    const run = store.run(name);
    let details;
    try {
      details = await unpacking.details(run);
    } catch (error) {
      book = null;
      dom
        .byId("run-body")
        .replaceChildren(picker(), dom.html("p", { class: "notice" }, error.message));
      return;
    }
    if (view.name !== name) return; // the reader went on meanwhile
    const atEnd = another || !book || view.number >= book.snapshots.length - 1;
    const drawn = !another && parts !== null;
    book = { ...details, identities: automaton.identify(details.snapshots) };
    version = run.version;
    const last = details.snapshots.length - 1;
    view.number = atEnd ? last : Math.min(view.number, last);
    if (drawn && last >= 0) update(run);
    else main.keeping("run-body", show);
    events.show(book.events);
  }

  // The same run goes on: what the reader is doing is not disturbed.
  function update(run) {
    main.keeping("run-head", () => dom.byId("run-head").replaceChildren(...head(run)));
    parts.input.max = book.snapshots.length - 1;
    draw(!drawing.moved());
  }

  function head(run) {
    const kept =
      run.kept && run.kept.snapshots[0] < run.kept.snapshots[1]
        ? dom.html(
            "p",
            { class: "quiet" },
            `${run.kept.snapshots[0]} of ${run.kept.snapshots[1]} snapshots are kept in this file.`,
          )
        : "";
    return [picker(), outcome.show(run), kept];
  }

  function picker() {
    const run = store.run(view.name);
    const all = store.configurations();
    const mine = all.find((one) => one.groups.some((group) => group.runs.includes(run)));
    const first = (key) => all.find((one) => one.key === key).groups[0].runs[0].name;
    const options = mine.groups.flatMap((group) =>
      group.runs.map((one) => [
        one.name,
        `${group.method}, seed ${one.seed}${one.complete ? "" : " (running)"}`,
      ]),
    );
    const configuration = dom.choice(
      "configuration",
      all.map((one) => [one.key, one.title]),
      mine.key,
      (key) => open(first(key)),
    );
    const which = dom.choice("run", options, view.name, open);
    configuration.querySelector("select").id = "pick-configuration";
    which.querySelector("select").id = "pick-run";
    return dom.html("div", { class: "controls" }, configuration, which);
  }

  function slider() {
    const input = dom.html("input", {
      type: "range",
      id: "snapshot",
      min: 0,
      max: book.snapshots.length - 1,
      step: 1,
      value: view.number,
      "aria-label": "Snapshot",
      input: () => {
        stop();
        go(Number(input.value));
      },
    });
    const step = (by, words, symbol) =>
      dom.html(
        "button",
        {
          type: "button",
          "aria-label": words,
          title: words,
          click: () => {
            stop();
            go(view.number + by);
          },
        },
        symbol,
      );
    const play = dom.html(
      "button",
      { type: "button", id: "play", click: () => (playing ? stop() : start()) },
      "▶ Play",
    );
    const output = dom.html("output", { for: "snapshot", id: "snapshot-text" });
    return {
      input,
      play,
      output,
      row: dom.html(
        "div",
        { class: "slider" },
        play,
        step(-1, "Previous snapshot", "‹"),
        input,
        step(1, "Next snapshot", "›"),
        output,
      ),
    };
  }

  function start() {
    if (view.number >= book.snapshots.length - 1) go(0);
    parts.play.textContent = "❚❚ Pause";
    playing = setInterval(() => {
      if (view.number >= book.snapshots.length - 1) stop();
      else go(view.number + 1);
    }, 650);
  }

  function stop() {
    clearInterval(playing);
    playing = null;
    if (parts) parts.play.textContent = "▶ Play";
  }

  function go(number) {
    view.number = Math.max(0, Math.min(book.snapshots.length - 1, number));
    draw(false);
  }

  function options(run) {
    const set = (key, refit) => (value) => {
      view[key] = key === "hops" ? Number(value) : value;
      draw(refit);
    };
    const list = [];
    if (run.grid)
      list.push(
        dom.choice(
          "view",
          [
            ["grid", "cells of the grid"],
            ["graph", "graph"],
          ],
          view.kind,
          (value) => {
            view.kind = value;
            main.keeping("run-body", show);
          },
        ),
      );
    if (!(run.grid && view.kind === "grid")) {
      list.push(
        dom.choice(
          "group",
          [
            ["auto", "automatic"],
            ["none", "nothing"],
            ["candidates", "candidates"],
            ["observation", "by last observation"],
            ["distance", "by distance"],
          ],
          view.grouping,
          (value) => {
            view.grouping = value;
            view.focus = null;
            draw(true);
          },
        ),
      );
      list.push(
        dom.choice(
          "neighbourhood",
          [
            ["1", "1 step"],
            ["2", "2 steps"],
            ["3", "3 steps"],
          ],
          String(view.hops),
          set("hops", true),
        ),
      );
    }
    list.push(
      dom.choice(
        "labels",
        [
          ["auto", "automatic"],
          ["all", "all"],
          ["policy", "policy"],
          ["none", "none"],
        ],
        view.labels,
        set("labels", true),
      ),
    );
    const search = dom.html("input", {
      type: "search",
      id: "search",
      value: view.search,
      placeholder: "12, (0, 1), left",
      input: () => {
        view.search = search.value;
        draw(false);
      },
      keydown: (event) => {
        if (event.key === "Enter") next();
      },
    });
    list.push(dom.html("label", { class: "field" }, dom.html("span", null, "find states"), search));
    return dom.html("div", { class: "controls" }, list);
  }

  // Enter in the search box goes from one found state to the next.
  function next() {
    const found = [...current.matches];
    if (!found.length) return;
    const at = chosen ? found.indexOf(chosen.key) : -1;
    choose("node", found[(at + 1) % found.length]);
  }

  function zoomButtons() {
    const button = (symbol, words, click) =>
      dom.html("button", { type: "button", "aria-label": words, title: words, click }, symbol);
    return dom.html(
      "div",
      { class: "zoom" },
      button("+", "Zoom in", () => drawing.zoom(1.3)),
      button("−", "Zoom out", () => drawing.zoom(1 / 1.3)),
      button("Fit", "Fit to the frame", () => drawing.fit()),
    );
  }

  function choose(kind, key) {
    chosen = kind ? { kind, key } : null;
    drawing.mark(kind, key);
    inspect();
  }

  function inspect() {
    parts.inspector.replaceChildren(
      ...[inspector.show(current, chosen)].flat(Infinity).filter(Boolean),
    );
  }

  // Go to a state by its number: out of its group, and into the neighbourhood if there is one.
  function goTo(index) {
    const id = book.identities[view.number][index];
    if (!current.shown.nodes.has(id)) {
      if (view.focus !== null) view.focus = id;
      else Object.assign(view, { grouping: "none", kind: "graph", focus: id });
      show();
    }
    if (!drawing.focusOn("node", id)) choose("node", id);
  }

  function focus(id) {
    Object.assign(view, { focus: id, kind: "graph" });
    show();
    drawing.focusOn("node", id);
  }

  function message() {
    const count = current.shown.nodes.size;
    const hidden =
      current.full.nodes.size -
      [...current.shown.nodes.values()].reduce((sum, node) => sum + node.members.length, 0);
    const words = [
      view.search.trim() ? `${text.whole(current.matches.size)} found` : null,
      hidden > 0 && view.focus === null
        ? `${text.plural(hidden, "candidate")} not on the board`
        : null,
      hidden > 0 && view.focus !== null
        ? `${text.whole(count)} of ${text.plural(current.full.nodes.size, "state")} in this neighbourhood`
        : null,
    ];
    const all =
      view.focus === null
        ? null
        : dom.html(
            "button",
            {
              type: "button",
              id: "show-all",
              click: () => {
                view.focus = null;
                show();
              },
            },
            "Show all states",
          );
    parts.message.replaceChildren(...[words.filter(Boolean).join(" · "), " ", all].filter(Boolean));
  }

  function draw(refit) {
    const run = store.run(view.name);
    const { width, height } = drawing.size();
    const within = drawing.picture.contains(document.activeElement) && chosen;
    current = scenes.scene(book, view, run, width && height ? width / height : 1.5, memory);
    Object.assign(current, { goTo, focus });
    const nodes = { graph: current.shown, actions: current.snapshot.actions };
    drawing.draw({ ...current, ...nodes });
    if (refit) drawing.fit();
    if (within) drawing.focusOn(chosen.kind, chosen.key);
    const there =
      chosen &&
      (chosen.kind === "node"
        ? current.shown.nodes.has(chosen.key)
        : current.shown.edges.some((edge) => edge.key === chosen.key));
    drawing.mark(there ? chosen.kind : null, there ? chosen.key : null);
    inspect();
    message();
    tell();
  }

  function tell() {
    const one = current.snapshot;
    const safe = one.states.filter((state) => state.safe).length;
    const words = `${text.plural(one.episodes, "episode")} · ${text.plural(safe, "state")} · score ${text.number(one.score)}`;
    parts.output.textContent = `${view.number + 1} of ${book.snapshots.length}: ${words}`;
    parts.input.value = view.number;
    parts.input.setAttribute("aria-valuetext", words);
    drawing.picture.setAttribute(
      "aria-label",
      `Automaton after ${words}. Tab goes to its states and edges, arrow keys from one to the next, plus and minus zoom.`,
    );
    const width = parts.strip.clientWidth || 300;
    parts.strip.replaceChildren(strip.show(book.snapshots, view.number, width));
  }

  function show() {
    const run = store.run(view.name);
    const place = dom.byId("run-body");
    stop();
    if (!book.snapshots.length) {
      parts = null;
      place.replaceChildren(
        ...head(run),
        dom.html(
          "p",
          { class: "quiet" },
          run.complete ? "No snapshots of this run are kept here." : "No snapshot of this run yet.",
        ),
      );
      return;
    }
    const { row, ...controls } = slider();
    parts = {
      ...controls,
      inspector: dom.html("aside", {
        class: "inspector",
        "aria-label": "Details",
        "aria-live": "polite",
      }),
      message: dom.html("p", { class: "message", role: "status" }),
      strip: dom.html("div", { class: "strip-room" }),
    };
    drawing = graph.make(choose);
    drawing.picture.addEventListener("click", () => choose(null, null));
    place.replaceChildren(
      dom.html("div", { id: "run-head" }, head(run)),
      dom.html("div", { class: "rows" }, row, parts.strip),
      options(run),
      parts.message,
      dom.html(
        "div",
        { class: "stage" },
        dom.html("div", { class: "frame" }, drawing.picture, zoomButtons()),
        parts.inspector,
      ),
      strip.legend(),
    );
    draw(true);
  }

  // The data changed: show the run as it is now, or another one if it is gone.
  function refresh() {
    const all = store.runs();
    if (!all.length) {
      dom
        .byId("run-body")
        .replaceChildren(
          dom.html("p", { class: "quiet" }, "The first run appears here with its first snapshot."),
        );
      events.show([]);
      return;
    }
    const run = store.run(view.name);
    if (!run) open(store.configurations()[0].groups[0].runs[0].name);
    else if (run.version !== version) open(view.name);
  }

  // Move to the first snapshot that knows of what happened in an episode.
  function goToEpisode(episode) {
    if (!book || !book.snapshots.length) return;
    const number = book.snapshots.findIndex((one) => one.episodes >= episode);
    go(number < 0 ? book.snapshots.length - 1 : number);
    dom.byId("run").scrollIntoView({ block: "start" });
    parts.input.focus({ preventScroll: true });
  }

  function resize() {
    if (book && parts && drawing) draw(true);
  }

  return { open, refresh, resize, goToEpisode };
})();
