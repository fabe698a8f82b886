// The page as a whole: first drawing, and what happens when there is news.
const main = (() => {
  const EVERY = 1500; // milliseconds between two questions to the server

  function about() {
    const all = store.runs();
    const running = all.filter((run) => !run.complete).length;
    const words = [
      text.plural(all.length, "run"),
      running ? `${running} running` : null,
      store.state.written ? `written ${store.state.written}` : null,
    ];
    dom.byId("about").textContent = words.filter(Boolean).join(" · ");
  }

  function notices() {
    const { notes, problems } = store.state;
    const parts = notes.map((note) => dom.html("p", { class: "notice" }, note));
    if (problems.length) {
      const items = problems.map((problem) =>
        dom.html("li", null, dom.html("code", null, problem.name), ` ${problem.text}`),
      );
      parts.push(
        dom.html(
          "details",
          { class: "notice bad", id: "problems", open: problems.length <= 3 },
          dom.html(
            "summary",
            null,
            `${text.plural(problems.length, "problem")} while reading the folder`,
          ),
          dom.html("ul", null, items),
        ),
      );
    }
    dom.byId("notices").replaceChildren(...parts);
  }

  // Redraw a section, and leave focus and scrolling where the reader had them.
  function keeping(id, work) {
    const place = dom.byId(id);
    const focusable = () => [...place.querySelectorAll("button, input, select, [tabindex]")];
    const at = place.contains(document.activeElement)
      ? focusable().indexOf(document.activeElement)
      : -1;
    const scrolled = [...place.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
    work();
    [...place.querySelectorAll(".scroll")].forEach((one, i) => {
      one.scrollLeft = scrolled[i] || 0;
    });
    const again = at >= 0 ? focusable()[at] : null;
    if (again && again !== document.activeElement) again.focus({ preventScroll: true });
  }

  function showAll() {
    about();
    notices();
    keeping("summary-body", summary.show);
    keeping("curves-body", curves.show);
    runs.refresh();
  }

  async function openRun(name, scroll) {
    await runs.open(name);
    if (!scroll) return;
    dom.byId("run").scrollIntoView({ block: "start" });
    dom.byId("pick-run").focus({ preventScroll: true });
  }

  function status(words, kind) {
    const place = dom.byId("status");
    place.hidden = false;
    place.className = `status ${kind}`;
    if (place.textContent !== words) place.textContent = words;
  }

  async function ask() {
    try {
      const answer = await fetch(`data.json?since=${store.state.version}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      const data = await answer.json();
      const first = store.state.version === 0;
      if (first || data.version !== store.state.version) {
        store.take(data);
        showAll();
      }
      status("live", "going");
    } catch {
      status("no connection, trying again", "lost");
    }
    setTimeout(ask, EVERY);
  }

  function start() {
    theme.start();
    store.take(JSON.parse(dom.byId("data").textContent));
    showAll();
    const redraw = dom.onceAFrame(() => {
      curves.draw();
      runs.resize();
    });
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return; // a phone's address bar that comes and goes
      width = window.innerWidth;
      redraw();
    });
    if (store.state.live) ask();
  }

  return { start, openRun, keeping };
})();

main.start();
