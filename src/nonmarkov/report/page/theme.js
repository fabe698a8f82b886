// Light, dark, or as the system says.
const theme = (() => {
  const ORDER = ["auto", "light", "dark"];
  const KEY = "nonmarkov-theme";

  function stored() {
    try {
      return ORDER.includes(localStorage.getItem(KEY)) ? localStorage.getItem(KEY) : "auto";
    } catch {
      return "auto"; // some browsers keep nothing for local files
    }
  }

  function set(name) {
    document.documentElement.dataset.theme = name;
    dom.byId("theme").textContent = `Theme: ${name}`;
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // then it holds until the page is closed
    }
  }

  function start() {
    set(stored());
    dom.byId("theme").addEventListener("click", () => {
      set(ORDER[(ORDER.indexOf(document.documentElement.dataset.theme) + 1) % ORDER.length]);
    });
  }

  return { start };
})();
