// The course of a run at a glance, and what the signs of its drawing mean.
const strip = (() => {
  // Under the slider: score and states at every snapshot, so that one sees where to look.
  function show(snapshots, number, width) {
    const n = snapshots.length;
    const x = (i) => 8 + (n > 1 ? i / (n - 1) : 0.5) * (width - 16);
    const line = (values, name) => {
      const top = Math.max(1e-9, ...values);
      const points = values.map(
        (value, i) => `${x(i).toFixed(1)},${(40 - 34 * Math.max(0, value / top)).toFixed(1)}`,
      );
      return dom.svg("polyline", { class: name, points: points.join(" ") });
    };
    const safe = snapshots.map((one) => one.states.filter((state) => state.safe).length);
    return dom.svg(
      "svg",
      { class: "strip", width, height: 44, "aria-hidden": "true" },
      line(safe, "strip-states"),
      line(
        snapshots.map((one) => one.score),
        "strip-score",
      ),
      dom.svg("line", {
        class: "strip-now",
        id: "strip-now",
        y1: 2,
        y2: 42,
        x1: x(number),
        x2: x(number),
      }),
    );
  }

  function legend() {
    const key = (name, words) =>
      dom.html("span", { class: "key" }, dom.html("span", { class: `sample ${name}` }), words);
    return dom.html(
      "p",
      { class: "caption keys" },
      key("circle", "safe state"),
      key("circle filled", "start"),
      key("square", "candidate"),
      key("stroke", "what the policy does"),
      key("stroke dashed", "undecided"),
      key("circle new", "new in this snapshot"),
      "Labels: action / observation / reward · probability. Under the slider: score (blue), states (grey). ",
      "Drag to move; Ctrl and wheel, pinch, or + and − zoom.",
    );
  }

  return { show, legend };
})();
