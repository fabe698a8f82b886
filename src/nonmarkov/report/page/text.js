// Numbers and labels as people read them.
const text = (() => {
  const NOTHING = "–";

  // A label of the files: a string, a number, or a list for a tuple.
  function label(value) {
    if (Array.isArray(value)) return `(${value.map(label).join(", ")})`;
    if (value !== null && typeof value === "object") return JSON.stringify(value);
    return String(value);
  }

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
  const whole = (value) => (isNumber(value) ? Math.round(value).toLocaleString("en") : NOTHING);

  function number(value, digits = 4) {
    if (!isNumber(value)) return NOTHING;
    return Number(value.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 6 });
  }

  const percent = (share) => (isNumber(share) ? `${(100 * share).toFixed(1)} %` : NOTHING);
  // Axis numbers are short: 20k, 1.5M.
  function short(value) {
    const size = Math.abs(value);
    if (size >= 1e6) return `${number(value / 1e6, 3)}M`;
    if (size >= 1e4) return `${number(value / 1e3, 3)}k`;
    return number(value, 4);
  }

  function seconds(value) {
    if (!isNumber(value)) return NOTHING;
    if (value < 10) return `${value.toFixed(1)} s`;
    if (value < 120) return `${Math.round(value)} s`;
    if (value < 7200) return `${Math.round(value / 60)} min`;
    return `${(value / 3600).toFixed(1)} h`;
  }

  const plural = (count, noun) => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
  const shortened = (words, most) => (words.length > most ? `${words.slice(0, most - 1)}…` : words);

  return { NOTHING, label, isNumber, whole, number, percent, short, seconds, plural, shortened };
})();
