// How a drawing is moved and zoomed: with mouse, fingers and keys.
const gestures = (() => {
  // Drag to move; pinch, buttons, keys, or the wheel with Ctrl to zoom.
  function listen(picture, { zoom, move }) {
    const fingers = new Map();
    const local = (event) => {
      const box = picture.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    picture.addEventListener("pointerdown", (event) => fingers.set(event.pointerId, local(event)));
    picture.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = local(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId);
      if (other) {
        const apart = (a) => Math.hypot(a.x - other[1].x, a.y - other[1].y) || 1;
        zoom(apart(now) / apart(before), other[1]);
      } else move(now.x - before.x, now.y - before.y);
      fingers.set(event.pointerId, now);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      picture.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
    picture.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // the page scrolls as usual
        event.preventDefault();
        zoom(Math.exp(-event.deltaY / 300), local(event));
      },
      { passive: false },
    );
    picture.addEventListener("keydown", (event) => {
      if (event.target === picture) {
        const step = {
          ArrowLeft: [40, 0],
          ArrowRight: [-40, 0],
          ArrowUp: [0, 40],
          ArrowDown: [0, -40],
        }[event.key];
        if (step) move(...step);
        if (step) event.preventDefault();
      }
      if (event.key === "+" || event.key === "=") zoom(1.25);
      if (event.key === "-") zoom(0.8);
    });
  }

  return { listen };
})();
