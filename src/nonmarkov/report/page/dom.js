// Elements of the page. Data only ever becomes text, never markup.
const dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (typeof value === "function") node.addEventListener(name, value);
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    node.append(
      ...children.flat(Infinity).filter((child) => child !== null && child !== undefined),
    );
    return node;
  }

  const html = (tag, attributes, ...children) =>
    fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);
  const byId = (id) => document.getElementById(id);

  function coloured(node, colour) {
    node.style.setProperty("--colour", colour);
    return node;
  }

  // A labelled choice; options are [value, text] pairs.
  function choice(label, options, value, changed) {
    const select = html("select", { name: label, change: () => changed(select.value) });
    for (const [key, text] of options) {
      select.append(html("option", { value: key, selected: key === value }, text));
    }
    return html("label", { class: "field" }, html("span", null, label), select);
  }

  // Run at most once a frame, however often it is asked for.
  function onceAFrame(work) {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        work();
      });
    };
  }

  return { html, svg, byId, coloured, choice, onceAFrame };
})();
