// The drawing of an automaton: zoom, pan, keyboard, and what is chosen in it.
const graph = (() => {
  const RADIUS = 20;
  const MOST_LABELS = 14; // at a time, of what is chosen
  const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };

  // `choose(kind, key)` is called when a state or an edge gets the focus or is clicked.
  function make(choose) {
    const world = dom.svg("g");
    const picture = dom.svg("svg", { class: "graph", tabindex: "0", role: "group" }, world);
    const view = { x: 0, y: 0, scale: 1, moved: false };
    const parts = { nodes: new Map(), edges: new Map(), labels: new Map() };
    const shapes = new Map(); // of the edges
    const self = {
      picture,
      draw,
      fit,
      zoom,
      mark,
      focusOn,
      moved: () => view.moved,
      size: () => picture.getBoundingClientRect(),
    };
    let scene = null;

    function place() {
      world.setAttribute(
        "transform",
        `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(4)})`,
      );
      picture.classList.toggle("far", view.scale < 0.55);
    }

    function bounds() {
      const boxes = [...scene.places]
        .filter(([id]) => scene.graph.nodes.has(id))
        .map(([, at]) => at);
      for (const box of scene.boxes)
        boxes.push({ x: box.left, y: box.top }, { x: box.right, y: box.bottom });
      if (scene.cells) boxes.push(...scene.cells.corners);
      const [xs, ys] = [boxes.map((at) => at.x), boxes.map((at) => at.y)];
      const room = 2.6 * RADIUS;
      return {
        left: Math.min(...xs) - room,
        right: Math.max(...xs) + room,
        top: Math.min(...ys) - room,
        bottom: Math.max(...ys) + room,
      };
    }

    function fit() {
      if (!scene || !scene.graph.nodes.size) return;
      const { width, height } = self.size();
      const box = bounds();
      const [across, down] = [box.right - box.left, box.bottom - box.top];
      view.scale = Math.min(1.25, width / across, height / down) || 1;
      view.x = (width - across * view.scale) / 2 - box.left * view.scale;
      view.y = (height - down * view.scale) / 2 - box.top * view.scale;
      view.moved = false;
      place();
    }

    function zoom(factor, centre) {
      const { width, height } = self.size();
      const at = centre || { x: width / 2, y: height / 2 };
      const scale = Math.max(0.05, Math.min(6, view.scale * factor));
      view.x = at.x - ((at.x - view.x) * scale) / view.scale;
      view.y = at.y - ((at.y - view.y) * scale) / view.scale;
      view.scale = scale;
      view.moved = true;
      place();
    }

    function move(dx, dy) {
      view.x += dx;
      view.y += dy;
      view.moved = true;
      place();
    }

    gestures.listen(picture, { zoom, move });

    // scene: {graph, places, middle, actions, labels, cells, fresh: Set, matches: Set}
    function draw(next) {
      scene = { ...next, boxes: [] };
      for (const kind of Object.values(parts)) kind.clear();
      shapes.clear();
      const taken = [...scene.graph.nodes.keys()].map((id) => nodeBox(scene.places.get(id)));
      for (const edge of scene.graph.edges)
        shapes.set(edge.key, edges.curve(edge, scene.places, RADIUS, scene.middle));
      const drawnEdges = scene.graph.edges.map((edge) =>
        edgePart(edge, shapes.get(edge.key), taken),
      );
      const drawnNodes = [...scene.graph.nodes.values()].map(nodePart);
      picture.classList.toggle("board", Boolean(scene.cells));
      picture.classList.toggle("crowded", !scene.cells && scene.graph.edges.length > 250);
      world.replaceChildren(
        ...(scene.cells ? scene.cells.parts : []),
        dom.svg("g", { class: "edges", role: "group", "aria-label": "Edges" }, drawnEdges),
        dom.svg("g", { class: "nodes", role: "group", "aria-label": "States" }, drawnNodes),
        dom.svg("g", { class: "labels", "aria-hidden": "true" }, [...parts.labels.values()]),
      );
      roving([...parts.nodes.values()], nearestNode);
      roving([...parts.edges.values()], null);
    }

    const nodeBox = (at) => ({
      left: at.x - RADIUS,
      right: at.x + RADIUS,
      top: at.y - RADIUS,
      bottom: at.y + RADIUS + 12,
    });

    function edgePart(edge, shape, taken) {
      const shown = scene.labels === "all" || (scene.labels === "policy" && edge.policy);
      const words = dom.svg("g", { class: shown ? "label shown" : "label" });
      parts.labels.set(edge.key, words);
      if (shown) {
        const content = edges.lines(edge);
        const box = edges.labelBox(edge, shape, content, taken);
        words.append(...edges.labelText(content, box));
        taken.push(box);
        scene.boxes.push(box);
      }
      const names = ["edge", edge.policy ? "policy" : "", edge.decided ? "" : "open"].join(" ");
      const part = dom.svg(
        "g",
        {
          class: names,
          "data-key": edge.key,
          tabindex: "-1",
          role: "button",
          "aria-label": edgeName(edge),
          focus: () => choose("edge", edge.key),
          click: (event) => pick(event, part),
        },
        dom.svg("path", { class: "hit", d: edges.path(shape) }),
        dom.svg("path", { class: "line", d: edges.path(shape) }),
        dom.svg("path", { class: "head", d: edges.head(shape, edge.policy ? 10 : 8) }),
      );
      parts.edges.set(edge.key, part);
      return part;
    }

    function edgeName(edge) {
      const [from, to] = [scene.graph.nodes.get(edge.source), scene.graph.nodes.get(edge.target)];
      return `Edge from ${nodeName(from)} to ${nodeName(to)}: ${edges
        .lines(edge)
        .map((line) => line.words)
        .join("; ")}`;
    }

    const nodeName = (node) =>
      node.group ? `${node.members.length} states` : `state ${node.index}`;

    function policyWords(node) {
      const names = node.policy.map((action) => text.label(scene.actions[action]));
      return text.shortened(names.map((name) => ARROWS[name] || name).join(" "), 12);
    }

    function nodePart(node) {
      const at = scene.places.get(node.id);
      const kind = node.group ? "group" : node.safe ? "safe" : "candidate";
      const names = [
        "node",
        kind,
        node.start ? "start" : "",
        scene.fresh.has(node.id) ? "fresh" : "",
        scene.matches.has(node.id) ? "match" : "",
      ].join(" ");
      const actions = policyWords(node);
      const part = dom.svg(
        "g",
        {
          class: names,
          "data-key": node.id,
          tabindex: "-1",
          role: "button",
          transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`,
          "aria-label": nodeLabel(node, actions),
          focus: () => choose("node", node.id),
          click: (event) => pick(event, part),
        },
        outline(node),
      );
      const words = node.group ? `${node.members.length}×` : String(node.index);
      const within = actions.length > 0 && actions.length <= 3; // such as an arrow: it fits into the circle
      part.append(
        dom.svg("text", { class: "name", y: within ? -1 : 5, "text-anchor": "middle" }, words),
      );
      if (actions) {
        const y = within ? 13 : RADIUS + 12;
        part.append(
          dom.svg(
            "text",
            { class: within ? "action within" : "action", y, "text-anchor": "middle" },
            actions,
          ),
        );
      }
      parts.nodes.set(node.id, part);
      return part;
    }

    function outline(node) {
      if (!node.safe) {
        const half = RADIUS * 0.86;
        return dom.svg("rect", {
          class: "shape",
          x: -half,
          y: -half,
          width: 2 * half,
          height: 2 * half,
        });
      }
      const circle = dom.svg("circle", { class: "shape", r: RADIUS });
      return node.group
        ? [dom.svg("circle", { class: "shape", r: RADIUS, cx: 4, cy: -4 }), circle]
        : circle;
    }

    function nodeLabel(node, actions) {
      const words = [node.group ? `Group of ${node.members.length} states` : `State ${node.index}`];
      words.push(node.safe ? "safe" : "candidate");
      if (node.start) words.push("start");
      if (actions) words.push(`policy ${actions}`);
      if (text.isNumber(node.visits)) words.push(text.plural(node.visits, "visit"));
      return words.join(", ");
    }

    function pick(event, part) {
      event.stopPropagation();
      part.focus({ preventScroll: true });
    }

    // One stop of the Tab key for all states, one for all edges; arrows move between them.
    function roving(list, nearest) {
      if (list.length) list[0].setAttribute("tabindex", "0");
      list.forEach((part, index) => {
        part.addEventListener("focus", () => {
          for (const other of list) other.setAttribute("tabindex", other === part ? "0" : "-1");
        });
        part.addEventListener("keydown", (event) => {
          const turn = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
          if (!turn) return;
          event.preventDefault();
          event.stopPropagation();
          const other = nearest
            ? nearest(part, event.key)
            : list[(index + turn + list.length) % list.length];
          if (other) other.focus({ preventScroll: true });
        });
      });
    }

    function nearestNode(part, key) {
      const from = scene.places.get(part.dataset.key);
      const along = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        key
      ];
      let [best, least] = [null, Infinity];
      for (const [id, other] of parts.nodes) {
        const at = scene.places.get(id);
        const ahead = (at.x - from.x) * along[0] + (at.y - from.y) * along[1];
        const aside = Math.abs((at.x - from.x) * along[1]) + Math.abs((at.y - from.y) * along[0]);
        if (other !== part && ahead > 1 && ahead + 2 * aside < least)
          [best, least] = [other, ahead + 2 * aside];
      }
      return best;
    }

    // Make what is chosen stand out, with its edges and their labels; all else steps back.
    function mark(kind, key) {
      const near = new Set();
      const lit = new Set();
      for (const edge of scene.graph.edges) {
        const touches =
          kind === "edge"
            ? edge.key === key
            : kind === "node" && (edge.source === key || edge.target === key);
        if (!touches) continue;
        lit.add(edge.key);
        near.add(edge.source).add(edge.target);
      }
      if (kind === "node") near.add(key);
      picture.classList.toggle("marked", near.size > 0);
      for (const [id, part] of parts.nodes) {
        part.classList.toggle("near", near.has(id));
        part.classList.toggle("chosen", kind === "node" && id === key);
      }
      for (const [id, part] of parts.edges) part.classList.toggle("lit", lit.has(id));
      label(lit, near);
    }

    // Labels of the edges that stand out, as large as one can read them, out of each other's way.
    function label(lit, near) {
      const some = lit.size > MOST_LABELS ? (edge) => edge.policy : () => true;
      const wanted = scene.graph.edges.filter((edge) => lit.has(edge.key) && some(edge));
      const size = Math.max(edges.SIZE, Math.min(30, edges.SIZE / view.scale));
      const taken = [...near].map((id) => nodeBox(scene.places.get(id)));
      for (const part of parts.labels.values()) part.classList.remove("lit");
      for (const edge of wanted) {
        const part = parts.labels.get(edge.key);
        part.classList.add("lit");
        if (part.classList.contains("shown")) continue;
        const content = edges.lines(edge);
        const box = edges.labelBox(edge, shapes.get(edge.key), content, taken, size);
        taken.push(box);
        part.replaceChildren(...edges.labelText(content, box, size));
      }
    }

    function focusOn(kind, key) {
      const part = (kind === "edge" ? parts.edges : parts.nodes).get(key);
      if (part) part.focus({ preventScroll: true });
      return Boolean(part);
    }

    return self;
  }

  return { make, RADIUS };
})();
