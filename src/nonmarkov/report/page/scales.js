// From numbers to pixels, and which numbers to write on an axis.
const scales = (() => {
  function linear(low, high, from, to) {
    const span = high - low || 1;
    const scale = (value) => from + ((value - low) / span) * (to - from);
    scale.ticks = (count) => niceTicks(low, high, count);
    return scale;
  }

  // Zero has no place on such an axis: it goes to the left end.
  function log(low, high, from, to) {
    const [a, b] = [Math.log10(low), Math.log10(Math.max(high, low * 1.01))];
    const scale = (value) =>
      from + ((Math.log10(Math.max(value, low)) - a) / (b - a)) * (to - from);
    scale.ticks = (count) => logTicks(low, high, count);
    return scale;
  }

  function niceTicks(low, high, count) {
    const rough = (high - low || 1) / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
      ticks.push(Number((i * step).toPrecision(12)));
    }
    return ticks;
  }

  function logTicks(low, high, count) {
    const first = Math.floor(Math.log10(low));
    const last = Math.ceil(Math.log10(high));
    for (const factors of [[1, 2, 5], [1, 3], [1]]) {
      const ticks = [];
      for (let power = first; power <= last; power += 1) {
        for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(3)));
      }
      const inside = ticks.filter((tick) => tick >= low && tick <= high);
      if (inside.length <= count || factors.length === 1) {
        const every = Math.ceil(inside.length / Math.max(1, count));
        return inside.filter((_, i) => i % every === 0);
      }
    }
    return [];
  }

  return { linear, log };
})();
