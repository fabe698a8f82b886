// The lines of a graph: curves, arrow heads, and labels that keep out of each other's way.
const edges = (() => {
  const SIZE = 11; // of the text
  const LINE = 1.2; // height of a line, in sizes
  const MOST_LINES = 4;

  const point = ([a, b, c, d], t) => {
    const u = 1 - t;
    const mix = (key) =>
      u * u * u * a[key] + 3 * u * u * t * b[key] + 3 * u * t * t * c[key] + t * t * t * d[key];
    return { x: mix("x"), y: mix("y") };
  };

  function towards(from, to, distance) {
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    return {
      x: from.x + ((to.x - from.x) / length) * distance,
      y: from.y + ((to.y - from.y) / length) * distance,
    };
  }

  // Control points of a Bezier curve between two states, of which it keeps clear.
  function curve(edge, places, radius, middle) {
    const [from, to] = [places.get(edge.source), places.get(edge.target)];
    if (edge.source === edge.target) return loop(from, radius, middle);
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy) || 1;
    const bend = Math.min(0.16 * length, 60) + 6;
    // Always to the same side of the way: there and back are two lines.
    const off = { x: (dy / length) * bend, y: (-dx / length) * bend };
    const first = { x: from.x + dx / 3 + off.x, y: from.y + dy / 3 + off.y };
    const second = { x: to.x - dx / 3 + off.x, y: to.y - dy / 3 + off.y };
    return [towards(from, first, radius), first, second, towards(to, second, radius + 3)];
  }

  function loop(at, radius, middle) {
    const away =
      Math.hypot(at.x - middle.x, at.y - middle.y) < 1
        ? -Math.PI / 2
        : Math.atan2(at.y - middle.y, at.x - middle.x);
    const reach = (angle, far) => ({
      x: at.x + far * Math.cos(angle),
      y: at.y + far * Math.sin(angle),
    });
    return [
      reach(away - 0.45, radius),
      reach(away - 0.6, radius * 3),
      reach(away + 0.6, radius * 3),
      reach(away + 0.45, radius + 3),
    ];
  }

  const show = ({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`;
  const path = ([a, b, c, d]) => `M${show(a)}C${show(b)} ${show(c)} ${show(d)}`;

  function head([, , before, tip], size) {
    const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
    const corner = (turn) => ({
      x: tip.x - size * Math.cos(angle + turn),
      y: tip.y - size * Math.sin(angle + turn),
    });
    return `M${show(tip)}L${show(corner(0.42))}L${show(corner(-0.42))}Z`;
  }

  function describe(label) {
    const words = `${label.action} / ${text.label(label.observation)} / ${text.number(label.reward)}`;
    return text.isNumber(label.probability) ? `${words} · ${label.probability.toFixed(2)}` : words;
  }

  function lines(edge) {
    const all = edge.labels.map((label) => ({
      words: text.shortened(describe(label), 34),
      policy: label.policy,
    }));
    if (all.length <= MOST_LINES) return all;
    return [
      ...all.slice(0, MOST_LINES - 1),
      { words: `and ${all.length - MOST_LINES + 1} more`, policy: false },
    ];
  }

  const overlap = (a, b) =>
    Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
    Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

  // The place along the curve, and to which side, where a label covers least of what is there.
  function labelBox(edge, shape, content, taken, size = SIZE) {
    const width = Math.max(...content.map((line) => line.words.length)) * 0.555 * size + 4;
    const height = content.length * LINE * size;
    let best = null;
    const stops = edge.source === edge.target ? [0.5] : [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74];
    for (const t of stops) {
      const at = point(shape, t);
      const chord =
        edge.source === edge.target ? shape[0] : point([shape[0], shape[0], shape[3], shape[3]], t);
      const out = towards(chord, at, 1);
      const side = { x: out.x - chord.x, y: out.y - chord.y };
      for (const far of [1, -1]) {
        const centre = {
          x: at.x + far * side.x * (width / 2 + 3),
          y: at.y + far * side.y * (height / 2 + 3),
        };
        const box = {
          left: centre.x - width / 2,
          right: centre.x + width / 2,
          top: centre.y - height / 2,
          bottom: centre.y + height / 2,
          centre,
        };
        const covered =
          taken.reduce((sum, other) => sum + overlap(box, other), 0) +
          (far < 0 ? 1 : 0) +
          Math.abs(t - 0.5);
        if (best === null || covered < best.covered) best = { ...box, covered };
        if (edge.source === edge.target) break;
      }
    }
    return best;
  }

  function labelText(content, box, size = SIZE) {
    const top = box.centre.y - (content.length * LINE * size) / 2 + 0.93 * size;
    return content.map((line, row) =>
      dom.svg(
        "text",
        {
          class: line.policy ? "edge-label chosen" : "edge-label",
          x: box.centre.x.toFixed(1),
          "font-size": size,
          y: (top + row * LINE * size).toFixed(1),
          "text-anchor": "middle",
        },
        line.words,
      ),
    );
  }

  return { curve, path, head, lines, labelBox, labelText, SIZE };
})();
