// A table that its header sorts. Columns: {title, hint, value(row), cell(row), numeric}.
const table = (() => {
  function compare(a, b, sign) {
    const missing = (value) => value === null || value === undefined;
    if (missing(a) || missing(b)) return missing(a) - missing(b); // what is unknown comes last
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  // `order` is {column, sign} and remembers how the reader sorted when the table is made anew.
  function sortable(caption, columns, rows, order, describe) {
    const body = dom.html("tbody");
    const heads = columns.map((column, index) => {
      const sort = () => {
        order.sign = order.column === index ? -order.sign : 1;
        order.column = index;
        show();
      };
      const button = dom.html(
        "button",
        { type: "button", class: "sort", click: sort },
        column.title,
      );
      if (column.hint) button.title = column.hint;
      return dom.html("th", { scope: "col", class: column.numeric ? "number" : null }, button);
    });

    function show() {
      heads.forEach((head, index) => {
        const up = order.sign > 0 ? "ascending" : "descending";
        head.setAttribute("aria-sort", order.column === index ? up : "none");
      });
      const column = columns[order.column];
      const sorted = column
        ? [...rows].sort((a, b) => compare(column.value(a), column.value(b), order.sign))
        : rows;
      body.replaceChildren(...sorted.map((row) => line(columns, row, describe)));
    }

    show();
    return dom.html(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      dom.html(
        "table",
        null,
        dom.html("caption", { class: "unseen" }, caption),
        dom.html("thead", null, dom.html("tr", null, heads)),
        body,
      ),
    );
  }

  function line(columns, row, describe) {
    const cells = columns.map((column) =>
      dom.html("td", { class: column.numeric ? "number" : null }, column.cell(row)),
    );
    return dom.html("tr", describe ? describe(row) : null, cells);
  }

  return { sortable };
})();
