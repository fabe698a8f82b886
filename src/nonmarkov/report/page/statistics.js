// What several seeds come to: one row of the summary, one line with a band of the curves.
const statistics = (() => {
  const MOST_POINTS = 240;

  function mean(values) {
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  }

  function median(values) {
    if (!values.length) return null;
    const sorted = [...values].sort((a, b) => a - b);
    const half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  const numbers = (values) => values.filter(text.isNumber);

  function summary(configuration, group) {
    const done = group.runs.filter((run) => run.complete);
    const scores = numbers(group.runs.map(store.score));
    const optimal = configuration.optimal;
    const reached = numbers(done.map((run) => run.result.episodes_to_95));
    return {
      configuration,
      group,
      seeds: group.runs.length,
      running: group.runs.length - done.length,
      progress: mean(group.runs.map((run) => Math.min(1, store.reached(run) / run.episodes))),
      score: mean(scores),
      least: scores.length ? Math.min(...scores) : null,
      most: scores.length ? Math.max(...scores) : null,
      share: optimal && scores.length ? mean(scores) / optimal : null,
      states: median(numbers(group.runs.map(store.states))),
      right: done.filter((run) => run.result.right).length,
      done: done.length,
      minimal: configuration.minimal ?? null,
      // A seed that never got there would make any average of the others a lie.
      to95: done.length && reached.length === done.length ? median(reached) : null,
      reached: reached.length,
      seconds: mean(numbers(group.runs.map((run) => run.seconds))),
    };
  }

  // The value that a curve shows at a number of episodes: that of the last evaluation.
  function at(episodes, values, when) {
    let low = 0;
    let high = episodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (episodes[middle] <= when) low = middle + 1;
      else high = middle;
    }
    return low ? values[low - 1] : null;
  }

  function thinned(sorted) {
    if (sorted.length <= MOST_POINTS) return sorted;
    const kept = new Set([0, sorted.length - 1]);
    for (let i = 0; i < MOST_POINTS / 2; i += 1) {
      const share = i / (MOST_POINTS / 2);
      kept.add(Math.round(share * (sorted.length - 1)));
      kept.add(Math.min(sorted.length - 1, Math.round(sorted.length ** share)));
    }
    return [...kept].sort((a, b) => a - b).map((i) => sorted[i]);
  }

  // Mean, least and most over the seeds that have got as far, at every evaluation.
  function band(runs, field) {
    const curves = runs.map((run) => run.curve).filter((curve) => curve.episodes.length);
    const all = new Set(curves.flatMap((curve) => curve.episodes));
    const points = [];
    for (const episodes of thinned([...all].sort((a, b) => a - b))) {
      const here = curves.filter((curve) => curve.episodes[curve.episodes.length - 1] >= episodes);
      const values = numbers(here.map((curve) => at(curve.episodes, curve[field], episodes)));
      if (!values.length) continue;
      points.push({
        episodes,
        mean: mean(values),
        least: Math.min(...values),
        most: Math.max(...values),
        seeds: values.length,
      });
    }
    return points;
  }

  return { mean, median, summary, band, at };
})();
