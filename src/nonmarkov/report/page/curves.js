// Learning curves: a chart for every configuration, a line with a band for every method.
const curves = (() => {
  const MARGIN = { left: 46, right: 14, top: 12, bottom: 34 };
  const HEIGHT = 250;
  const MOST_CHARTS = 24;
  const view = { hidden: new Set(), axis: "log", measure: "score", all: false };
  const drawn = new Map();
  const MEASURES = { score: "score", share: "percent of optimal", states: "states" };

  function series(configuration) {
    const factor = view.measure === "share" ? 100 / (configuration.optimal || NaN) : 1;
    const field = view.measure === "states" ? "states" : "score";
    const scaled = (point) => ({
      ...point,
      mean: point.mean * factor,
      least: point.least * factor,
      most: point.most * factor,
    });
    return configuration.groups
      .filter((group) => !view.hidden.has(group.method))
      .map((group) => ({
        method: group.method,
        points: statistics
          .band(group.runs, field)
          .map(scaled)
          .filter((p) => text.isNumber(p.mean)),
      }))
      .filter((one) => one.points.length);
  }

  function reference(configuration) {
    if (view.measure === "states") return [configuration.minimal, "minimal"];
    if (view.measure === "share") return [configuration.optimal ? 100 : null, "optimal"];
    return [configuration.optimal, "optimal"];
  }

  function axes(lines, goal, width) {
    const points = lines.flatMap((line) => line.points);
    const episodes = points.map((point) => point.episodes);
    const values = points.flatMap((point) => [point.least, point.most]).concat(goal ?? []);
    const positive = episodes.filter((value) => value > 0);
    const [right, top] = [width - MARGIN.right, MARGIN.top];
    const most = Math.max(1, ...episodes);
    const low = Math.min(0, ...values);
    const high = Math.max(low + 1e-9, ...values);
    const x =
      view.axis === "log"
        ? scales.log(Math.min(...(positive.length ? positive : [1])), most, MARGIN.left, right)
        : scales.linear(0, most, MARGIN.left, right);
    const pad = 0.06 * (high - low);
    const y = scales.linear(low < 0 ? low - pad : 0, high + pad, HEIGHT - MARGIN.bottom, top);
    return { x, y };
  }

  function frame({ x, y }, width) {
    const bottom = HEIGHT - MARGIN.bottom;
    const parts = [];
    for (const tick of y.ticks(5)) {
      const at = y(tick);
      parts.push(
        dom.svg("line", {
          class: "rule",
          x1: MARGIN.left,
          x2: width - MARGIN.right,
          y1: at,
          y2: at,
        }),
      );
      parts.push(
        dom.svg(
          "text",
          { class: "tick", x: MARGIN.left - 6, y: at + 4, "text-anchor": "end" },
          text.short(tick),
        ),
      );
    }
    for (const tick of x.ticks(Math.max(2, Math.floor(width / 70)))) {
      parts.push(
        dom.svg("line", { class: "rule", x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 4 }),
      );
      parts.push(
        dom.svg(
          "text",
          { class: "tick", x: x(tick), y: bottom + 16, "text-anchor": "middle" },
          text.short(tick),
        ),
      );
    }
    parts.push(
      dom.svg(
        "text",
        { class: "tick", x: width - MARGIN.right, y: HEIGHT - 4, "text-anchor": "end" },
        view.axis === "log" ? "episodes (log)" : "episodes",
      ),
    );
    return parts;
  }

  const path = (points) =>
    `M${points.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join("L")}`;

  function lineParts(line, { x, y }) {
    const colour = store.colour(line.method);
    const along = (key) => line.points.map((point) => [x(point.episodes), y(point[key])]);
    const parts = [];
    if (line.points.some((point) => point.seeds > 1)) {
      const around = [...along("most"), ...along("least").reverse()];
      parts.push(dom.svg("path", { class: "band", d: `${path(around)}Z`, fill: colour }));
    }
    parts.push(
      dom.svg("path", {
        class: "curve",
        d: path(along("mean")),
        stroke: colour,
        "data-method": line.method,
      }),
    );
    if (line.points.length === 1) {
      const [[cx, cy]] = along("mean");
      parts.push(dom.svg("circle", { cx, cy, r: 3, fill: colour }));
    }
    return parts;
  }

  function valueText(value) {
    return view.measure === "share" ? `${value.toFixed(1)} %` : text.number(value);
  }

  function readout(lines, episodes, goal, goalName) {
    const rows = lines.map((line) => {
      const at = line.points.filter((point) => point.episodes <= episodes).pop();
      if (!at) return null;
      const range =
        at.seeds > 1 && at.most > at.least
          ? ` (${valueText(at.least)} to ${valueText(at.most)})`
          : "";
      const ended = at === line.points[line.points.length - 1] && at.episodes < episodes;
      return dom.html(
        "li",
        null,
        summary.swatch(line.method),
        dom.html(
          "span",
          { class: "value" },
          valueText(at.mean),
          dom.html("span", { class: "quiet" }, range, ended ? " at its end" : ""),
        ),
      );
    });
    const optimum = text.isNumber(goal)
      ? dom.html(
          "li",
          { class: "quiet" },
          dom.html("span", null, goalName),
          dom.html("span", { class: "value" }, valueText(goal)),
        )
      : null;
    return [
      dom.html("strong", null, text.plural(episodes, "episode")),
      dom.html("ul", null, rows, optimum),
    ];
  }

  // Hover, touch and arrow keys move one cross line over all evaluations of the chart.
  function interact(figure, picture, scale, lines, goal, goalName, width) {
    const stops = [
      ...new Set(lines.flatMap((line) => line.points.map((point) => point.episodes))),
    ].sort((a, b) => a - b);
    const cross = dom.svg("line", {
      class: "cross",
      y1: MARGIN.top,
      y2: HEIGHT - MARGIN.bottom,
      visibility: "hidden",
    });
    const box = dom.html("div", { class: "readout", role: "status", hidden: true });
    let here = -1;
    function show(index) {
      here = Math.max(0, Math.min(stops.length - 1, index));
      const at = scale.x(stops[here]);
      cross.setAttribute("x1", at);
      cross.setAttribute("x2", at);
      cross.setAttribute("visibility", "visible");
      box.replaceChildren(...readout(lines, stops[here], goal, goalName));
      box.hidden = false;
      const left = at > width / 2 ? at - box.offsetWidth - 12 : at + 12;
      box.style.left = `${Math.max(0, Math.min(width - box.offsetWidth, left))}px`;
    }
    function hide() {
      here = -1;
      cross.setAttribute("visibility", "hidden");
      box.hidden = true;
    }
    function nearest(event) {
      const at = event.clientX - picture.getBoundingClientRect().left;
      let best = 0;
      stops.forEach((stop, index) => {
        if (Math.abs(scale.x(stop) - at) < Math.abs(scale.x(stops[best]) - at)) best = index;
      });
      show(best);
    }
    function key(event) {
      const from = here < 0 ? (event.key === "ArrowLeft" ? stops.length : -1) : here;
      const moves = {
        ArrowLeft: from - 1,
        ArrowRight: from + 1,
        Home: 0,
        End: stops.length - 1,
        PageUp: from - 10,
        PageDown: from + 10,
      };
      if (event.key === "Escape") hide();
      else if (event.key in moves) {
        event.preventDefault();
        show(moves[event.key]);
      }
    }
    picture.append(cross);
    picture.addEventListener("pointermove", nearest);
    picture.addEventListener("pointerdown", nearest);
    picture.addEventListener("pointerleave", hide);
    picture.addEventListener("keydown", key);
    picture.addEventListener("blur", hide);
    figure.append(box);
  }

  function chart(configuration, width) {
    const lines = series(configuration);
    const [goal, goalName] = reference(configuration);
    const title = dom.html("figcaption", null, configuration.title);
    const figure = dom.html("figure", { class: "chart" }, title);
    if (!lines.length) {
      figure.append(
        dom.html(
          "p",
          { class: "quiet" },
          "Nothing to draw: no evaluations yet, or all methods are hidden.",
        ),
      );
      return figure;
    }
    const ends = lines.map(
      (line) => `${line.method} ends at ${valueText(line.points[line.points.length - 1].mean)}`,
    );
    const picture = dom.svg("svg", {
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      tabindex: "0",
      role: "img",
      "aria-label": `${configuration.title}, ${MEASURES[view.measure]} by episodes: ${ends.join("; ")}. Arrow keys read values.`,
    });
    const scale = axes(lines, goal, width);
    picture.append(...frame(scale, width));
    if (text.isNumber(goal)) {
      const at = scale.y(goal);
      picture.append(
        dom.svg("line", {
          class: "goal",
          x1: MARGIN.left,
          x2: width - MARGIN.right,
          y1: at,
          y2: at,
        }),
      );
      picture.append(dom.svg("text", { class: "tick", x: MARGIN.left + 4, y: at - 4 }, goalName));
    }
    picture.append(...lines.flatMap((line) => lineParts(line, scale)));
    figure.append(picture);
    interact(figure, picture, scale, lines, goal, goalName, width);
    return figure;
  }

  // A chart is drawn anew only if something about it changed, so that reading it is not disturbed.
  function keptChart(configuration, width) {
    const runs = configuration.groups.flatMap((group) => group.runs);
    const versions = runs.map((run) => `${run.name}:${run.version || 0}`).join();
    const look = [configuration.title, width, view.axis, view.measure, [...view.hidden].join()];
    const signature = [...look, versions, store.methods().join()].join("|");
    const kept = drawn.get(configuration.key);
    if (kept && kept.signature === signature) return kept.figure;
    const figure = chart(configuration, width);
    drawn.set(configuration.key, { signature, figure });
    return figure;
  }

  function legend() {
    return store.methods().map((method) => {
      const toggle = () => {
        if (!view.hidden.delete(method)) view.hidden.add(method);
        button.setAttribute("aria-pressed", String(!view.hidden.has(method)));
        draw();
      };
      const button = dom.html(
        "button",
        {
          type: "button",
          class: "toggle",
          "data-method": method,
          "aria-pressed": String(!view.hidden.has(method)),
          click: toggle,
        },
        summary.swatch(method),
      );
      return button;
    });
  }

  function draw() {
    const place = dom.byId("charts");
    if (!place) return;
    const all = store.configurations();
    const shown = view.all ? all : all.slice(0, MOST_CHARTS);
    const columns = Math.min(
      Math.max(1, shown.length),
      Math.max(1, Math.floor((place.clientWidth + 20) / 400)),
    );
    const width = Math.floor((place.clientWidth - 20 * (columns - 1)) / columns) || 340;
    place.replaceChildren(...shown.map((one) => keptChart(one, Math.min(width, 760))));
    if (shown.length < all.length) {
      const more = () => {
        view.all = true;
        draw();
      };
      place.append(
        dom.html(
          "button",
          { type: "button", click: more },
          `Show all ${all.length} configurations`,
        ),
      );
    }
  }

  function show() {
    const place = dom.byId("curves-body");
    if (!store.runs().length) {
      place.replaceChildren(dom.html("p", { class: "quiet" }, "Curves appear with the first run."));
      return;
    }
    const change = (key) => (value) => {
      view[key] = value;
      draw();
    };
    place.replaceChildren(
      dom.html(
        "div",
        { class: "controls" },
        dom.html(
          "div",
          { class: "legend", role: "group", "aria-label": "Methods shown" },
          legend(),
        ),
        dom.choice(
          "episodes axis",
          [
            ["log", "logarithmic"],
            ["linear", "linear"],
          ],
          view.axis,
          change("axis"),
        ),
        dom.choice("show", Object.entries(MEASURES), view.measure, change("measure")),
      ),
      dom.html("div", { id: "charts", class: "charts" }),
      dom.html(
        "p",
        { class: "caption" },
        "Lines: mean over seeds. Bands: least to most of the seeds. Dashed: the optimum, computed exactly.",
      ),
    );
    draw();
  }

  return { show, draw };
})();
