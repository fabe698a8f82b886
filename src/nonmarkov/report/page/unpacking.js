// Snapshots and events of a run are packed in the page, and unpacked when they are looked at.
const unpacking = (() => {
  async function details(run) {
    if (!run.details) return { snapshots: [], events: [] };
    if (typeof DecompressionStream === "undefined") {
      throw new Error("This browser is too old to unpack the automata of this page.");
    }
    const bytes = Uint8Array.from(atob(run.details), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  return { details };
})();
