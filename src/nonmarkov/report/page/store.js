// The runs of the folder, put together by configuration and by method.
const store = (() => {
  const COLOURS = {
    apart: "#0072B2",
    paper: "#D55E00",
    "random-sampling": "#009E73",
    rmax: "#CC79A7",
    oracle: "#8A8D91",
  };
  const SPARE = ["#56B4E9", "#8C6BB1", "#E69F00", "#A6761D", "#B8A900"];
  const ORDER = Object.keys(COLOURS);
  const tellingByMethod = new Map(); // remembered until runs change
  const state = { runs: new Map(), problems: [], notes: [], title: "", version: 0, live: false };

  // Take in what the server or the file says; runs that did not change stay as they are.
  function take(data) {
    tellingByMethod.clear();
    const names = new Set(data.names || data.runs.map((run) => run.name));
    for (const name of [...state.runs.keys()]) if (!names.has(name)) state.runs.delete(name);
    for (const run of data.runs) state.runs.set(run.name, run);
    for (const key of ["problems", "notes", "version", "live", "written"]) {
      if (data[key] !== undefined) state[key] = data[key];
    }
  }

  const runs = () => [...state.runs.values()];
  const run = (name) => state.runs.get(name);

  function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
  }

  const assignments = (values, names) =>
    names.map((name) => `${name}=${text.label(values[name])}`).join(", ");

  // Settings that tell runs of one method apart; most often there are none.
  function tellingSettings(method) {
    if (!tellingByMethod.has(method)) {
      const all = runs().filter((one) => one.method === method).map((one) => one.settings || {});
      const names = [...new Set(all.flatMap((settings) => Object.keys(settings)))];
      const values = (name) => new Set(all.map((settings) => canonical(settings[name] ?? null)));
      tellingByMethod.set(method, names.filter((name) => values(name).size > 1).sort());
    }
    return tellingByMethod.get(method);
  }

  // How a run's method is called: with settings if others have them otherwise.
  function methodTitle(one) {
    const given = tellingSettings(one.method).filter((name) => name in (one.settings || {}));
    return given.length ? `${one.method} (${assignments(one.settings, given)})` : one.method;
  }

  function colour(title) {
    const method = title.split(" (")[0];
    if (title === method && COLOURS[method]) return COLOURS[method];
    const others = methods().filter((name) => !COLOURS[name]);
    return SPARE[Math.max(0, others.indexOf(title)) % SPARE.length];
  }

  function methods() {
    const names = [...new Set(runs().map(methodTitle))];
    const rank = (name) => ORDER.indexOf(name.split(" (")[0]) + 1 || 99;
    return names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  }

  // Parameters other than k whose values tell configurations of one domain apart.
  function telling(domain) {
    const same = runs().filter((one) => one.domain === domain);
    const values = new Map();
    for (const one of same) {
      for (const [name, value] of Object.entries(one.parameters || {})) {
        if (!values.has(name)) values.set(name, new Map());
        const byK = values.get(name);
        const k = canonical((one.parameters || {}).k ?? null);
        if (!byK.has(k)) byK.set(k, new Set());
        byK.get(k).add(canonical(value));
      }
    }
    const varied = (byK) => [...byK.values()].some((found) => found.size > 1);
    return [...values.keys()].filter((name) => name !== "k" && varied(values.get(name))).sort();
  }

  // [{key, domain, k, title, optimal, minimal, groups: [{method, runs}]}], in a fixed order.
  function configurations() {
    const found = new Map();
    for (const one of runs()) {
      const key = `${one.domain} ${canonical(one.parameters || {})}`;
      if (!found.has(key)) found.set(key, start(key, one));
      const configuration = found.get(key);
      configuration.optimal = configuration.optimal ?? one.optimal_score;
      configuration.minimal = configuration.minimal ?? one.minimal_states;
      const title = methodTitle(one);
      const groups = configuration.groups;
      if (!groups.has(title)) groups.set(title, { method: title, runs: [] });
      groups.get(title).runs.push(one);
    }
    const order = methods();
    for (const configuration of found.values()) {
      configuration.groups = [...configuration.groups.values()].sort(
        (a, b) => order.indexOf(a.method) - order.indexOf(b.method),
      );
      for (const group of configuration.groups) group.runs.sort((a, b) => a.seed - b.seed);
    }
    const byK = (a, b) => (a.k ?? 0) - (b.k ?? 0) || a.title.localeCompare(b.title);
    return [...found.values()].sort((a, b) => a.domain.localeCompare(b.domain) || byK(a, b));
  }

  function start(key, one) {
    const parameters = one.parameters || {};
    const k = parameters.k ?? null;
    const names = telling(one.domain).filter((name) => name in parameters);
    const rest = assignments(parameters, names);
    const parts = [k === null ? "" : `k=${text.label(k)}`, rest].filter(Boolean);
    const title = [one.domain, ...parts].join(", ");
    return { key, domain: one.domain, k, rest, title, groups: new Map() };
  }

  const last = (list) => (list && list.length ? list[list.length - 1] : null);
  const score = (one) => (one.result ? one.result.score : last(one.curve.score));
  const states = (one) => (one.result ? one.result.states : last(one.curve.states));
  const reached = (one) => (one.result ? one.result.episodes : (last(one.curve.episodes) ?? 0));

  return {
    state,
    take,
    runs,
    run,
    colour,
    methods,
    methodTitle,
    configurations,
    score,
    states,
    reached,
  };
})();
