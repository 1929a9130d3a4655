"use strict";
// The page's program: draws the charts, and lets the reader switch, sort, hide, download and copy.
(async () => {
  const { View, parse, compile, expressionInterpreter, Handler } = window.charts;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const state = { order: "value", hidden: new Set() };
  for (const select of all("[data-switch]")) state[select.dataset.switch] = select.value;

  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };

  // Colours are the style sheet's, so that light, dark and paper need no new drawing; sizes depend on the window.
  const looks = (theme) => ({
    ...theme, background: null, font: "system-ui, sans-serif",
    axisXQuantitative: { labelFlush: false, tickCount: { signal: "ceil(width / 70)" } },
    axisY: { ...theme.axisY, labelLimit: innerWidth < 640 ? 150 : 320 },
    legend: { ...theme.legend, columns: innerWidth < 640 ? 1 : 2 },
  });

  // Vega-Lite warns of what it settles by itself; only errors are worth a line in the console.
  const quiet = { level: () => quiet, error: (...words) => { console.error(...words); return quiet; }, warn: () => quiet, info: () => quiet, debug: () => quiet };

  // -- charts -----------------------------------------------------------------------------------

  // Texts of downloads and large charts are compressed.
  const unpacked = (packed) => new Response(new Blob([Uint8Array.from(atob(packed), (one) => one.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip")));

  const charts = await Promise.all(all(".chart").map(async (element) => {
    const given = JSON.parse(document.getElementById(`${element.id}-data`).textContent);
    const setting = typeof given === "string" ? await unpacked(given).json() : given;
    const rows = setting.rows.map((row) => Object.fromEntries(setting.fields.map((field, at) => [field, row[at]])));
    return { element, ...setting, rows, picked: document.querySelector(`[data-pick="${element.id}"]`), view: null };
  }));

  // The value that is picked beside a chart, if it has rows for the page's switches.
  const pickable = (chart) => {
    if (!chart.picked) return;
    const there = new Set(chart.rows.filter((row) => chart.switches.every((name) => row[name] === state[name])).map((row) => row[chart.pick]));
    for (const option of chart.picked.options) option.hidden = option.disabled = there.size > 0 && !there.has(option.value);
    if (there.size && !there.has(chart.picked.value)) chart.picked.value = [...there][0];
  };

  const chosen = (chart) => {
    pickable(chart);
    let rows = chart.rows.filter((row) =>
      chart.switches.every((name) => row[name] === state[name]) &&
      chart.metrics.every((name) => !state.hidden.has(row[name])) &&
      (!chart.picked || row[chart.pick] === chart.picked.value));
    // A level or statistic that this chart does not have shows the first that it has.
    if (!rows.length && chart.switches.length) {
      const order = all("[data-switch=statistic] option").map((option) => option.value);
      const nearest = (names) => chart.rows.filter((row) => names.every((name) => row[name] === state[name]))
        .sort((a, b) => order.indexOf(a.statistic) - order.indexOf(b.statistic))[0];
      const has = (name) => chart.switches.includes(name);
      const first = nearest(["human", "level"].filter(has)) || nearest(["human"].filter(has)) || chart.rows[0];
      if (first) rows = chart.rows.filter((row) => chart.switches.every((name) => row[name] === first[name]) && chart.metrics.every((name) => !state.hidden.has(row[name])) && (!chart.picked || row[chart.pick] === first[chart.pick]));
    }
    const name = chart.metrics[0] || (chart.fields.includes("system") ? "system" : "input");
    if (state.order === "name" && chart.fields.includes(name)) {
      const before = (a, b) => String(a).localeCompare(String(b), undefined, { numeric: true });
      const sorted = rows.slice().sort((a, b) => before(a[name], b[name]));
      // Columns of a square follow its lines.
      const [, across] = chart.metrics;
      if (!across) return sorted;
      const places = [...new Set(rows.flatMap((row) => [row[name], row[across]]))].sort(before);
      return sorted.map((row) => ({ ...row, at: places.indexOf(row[across]) }));
    }
    if (chart.sort) return rows.slice().sort((a, b) => (b[chart.sort] ?? -Infinity) - (a[chart.sort] ?? -Infinity));
    return rows;
  };

  // Of many metrics or systems a chart shows the first, as the table above does, until the reader asks for all.
  const MOST = Number(document.querySelector(".controls").dataset.first);
  const folding = (chart, rows) => {
    const names = chart.spec.width || !["metric", "name", "system"].includes(chart.lines) ? [] : [...new Set(rows.map((row) => row[chart.lines]))];
    const button = document.querySelector(`[data-unfold="${chart.element.id}"]`), what = chart.lines === "system" ? "systems" : "rows";
    button.hidden = names.length <= MOST + 3;
    if (button.hidden) return rows;
    button.textContent = chart.whole ? `Show the first ${MOST}` : `Show all ${names.length} ${what}`;
    button.setAttribute("aria-expanded", String(Boolean(chart.whole)));
    const kept = new Set(chart.whole ? names : names.slice(0, MOST));
    return rows.filter((row) => kept.has(row[chart.lines]));
  };

  // What a switch's value is called, such as "system level" or "Kendall".
  const called = (name, value) => {
    const option = all(`[data-switch="${name}"] option`).find((each) => each.value === value);
    return (option ? option.textContent : value) + (name === "level" ? " level" : "");
  };

  const say = (chart, rows) => {
    const told = document.getElementById(`${chart.element.id}-said`);
    if (!rows.length) { told.textContent = "Nothing to show: none is chosen."; return; }
    const setting = chart.switches.map((name) => called(name, rows[0][name])).join(", ");
    const other = chart.switches.filter((name) => rows[0][name] !== state[name]).map((name) => called(name, state[name]));
    const hint = document.createElement("span");
    hint.className = "unseen";
    hint.textContent = ` ${rows.length} value${rows.length === 1 ? "" : "s"}; the table below has them as text.`;
    told.replaceChildren(setting ? `${setting}.` : "", other.length ? ` Not computed here for ${other.join(", ")}.` : "", hint);
  };

  // A table of the rows that a chart shows, for those whose whole table is too long for the page.
  const list = (chart, rows) => {
    const place = document.querySelector(`[data-values="${chart.element.id}"]`);
    if (!place || !place.open) return;
    const shown = chart.fields.filter((field) => !["at", "line", "u", "both"].includes(field) && !chart.switches.includes(field) && field !== chart.pick);
    const table = document.createElement("table"), line = (section, kind, values) => {
      const row = section.insertRow();
      values.forEach((value, at) => {
        const cell = document.createElement(kind === "th" || at === 0 ? "th" : "td");
        if (cell.tagName === "TH") cell.scope = kind === "th" ? "col" : "row";
        cell.textContent = value ?? "–";
        if (typeof value === "number") cell.className = "right";
        row.append(cell);
      });
    };
    line(table.createTHead(), "th", shown.map((field) => field.replace(/_/g, " ")));
    const body = table.createTBody();
    for (const row of rows) line(body, "td", shown.map((field) => row[field]));
    place.querySelector(".wide").replaceChildren(table);
    sortable(table);
  };

  // Room for a chart before it is drawn, so that nothing moves then: its lines, its axis, names above it, its legend.
  const AXIS = 45, LETTER = 6.6, ABOVE = 12, LEGEND = 6, ENTRY = 14, DOT = 16, DASH = 19, GRADIENT = 30;
  const keyed = (part) => {
    if (!part || typeof part !== "object") return null;
    return part.legend ? part : Object.entries(part).reduce((found, [name, each]) => found || (name === "config" ? null : keyed(each)), null);
  };
  const reserve = (chart, rows) => {
    const step = chart.spec.height?.step, key = keyed(chart.spec), entries = key?.scale?.domain;
    const inner = step ? step * new Set(rows.map((row) => row[chart.lines])).size : chart.spec.height || 320;
    const longest = Math.max(0, ...rows.map((row) => String(row[chart.lines] ?? "").length));
    const around = chart.spec.width ? ABOVE + LETTER * longest : AXIS;
    const written = innerWidth < 640 ? entries?.flatMap((entry) => (String(entry).length > 32 ? String(entry).split(", ") : entry)) : entries;
    const lines = written ? Math.ceil(written.length / (innerWidth < 640 ? 1 : key.legend.columns || 2)) : 0;
    const legend = !key ? 0 : key.type === "quantitative" ? GRADIENT : key.legend.symbolSize ? LEGEND / 2 + DASH * lines : LEGEND + (key.legend.symbolType ? ENTRY : DOT) * lines;
    chart.element.style.minHeight = rows.length ? `${Math.ceil(inner + around + legend)}px` : "";
  };

  // A specification whose legends fit a phone: below each other, and a long label in lines.
  const PARTS = "length(datum.label) > 32 ? split(datum.label, ', ') : datum.label";
  const narrow = (part) => {
    if (Array.isArray(part)) return part.map(narrow);
    if (!part || typeof part !== "object") return part;
    const inner = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, narrow(value)]));
    return inner.legend ? { ...inner, legend: { labelExpr: PARTS, ...inner.legend, columns: 1 } } : inner;
  };

  const draw = async (chart) => {
    if (chart.view) chart.view.finalize();
    const every = chosen(chart), rows = folding(chart, every);
    reserve(chart, rows);
    chart.element.replaceChildren();
    say(chart, rows);
    list(chart, every);
    if (!rows.length) { chart.view = null; return; }
    const given = innerWidth < 640 ? narrow(chart.spec) : chart.spec;
    const spec = { width: "container", autosize: { type: "fit-x", contains: "padding" }, ...given, config: looks(chart.spec.config), data: { name: "rows", values: rows } };
    if (chart.spec.width) delete spec.autosize;
    const compiled = compile(spec, { logger: quiet }).spec;
    chart.view = new View(parse(compiled, null, { ast: true }), { renderer: "svg", container: chart.element, hover: true, expr: expressionInterpreter, tooltip: new Handler({ disableDefaultStyle: true }).call });
    await chart.view.runAsync();
    chart.element.dataset.rows = rows.length;
  };

  // Charts further down wait until the reader comes near, so that the page opens at once.
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting || seen.has(entry.target)) continue;
      seen.add(entry.target);
      draw(charts.find((chart) => chart.element === entry.target));
    }
  }, { rootMargin: "600px" });
  charts.forEach((chart) => {
    const rows = folding(chart, chosen(chart));
    reserve(chart, rows);
    say(chart, rows);
    watcher.observe(chart.element);
  });
  for (const place of all("[data-values]")) place.addEventListener("toggle", () => {
    const chart = charts.find((each) => each.element.id === place.dataset.values);
    list(chart, chosen(chart));
  });
  for (const button of all("[data-unfold]")) button.addEventListener("click", () => {
    const chart = charts.find((each) => each.element.id === button.dataset.unfold);
    chart.whole = !chart.whole;
    draw(chart);
  });
  // A chart in what is folded has no width: it is drawn when it comes to be seen.
  const visible = (chart) => chart.element.offsetParent !== null;
  const redraw = () => charts.filter((chart) => seen.has(chart.element)).forEach((chart) => { if (visible(chart)) draw(chart); else seen.delete(chart.element); });
  const drawAll = () => Promise.all(charts.filter(visible).map((chart) => { seen.add(chart.element); return chart.view ? null : draw(chart); }));
  addEventListener("beforeprint", drawAll);
  let waiting = 0, width = innerWidth;
  addEventListener("resize", () => { if (innerWidth === width) return; width = innerWidth; clearTimeout(waiting); waiting = setTimeout(redraw, 150); });

  // -- the first screen -------------------------------------------------------------------------

  const boards = all(".board");
  const nearest = (elements, names) => {
    for (let n = names.length; n >= 0; n -= 1) {
      const fit = elements.filter((element) => names.slice(0, n).every((name) => state[name] === undefined || element.dataset[name] === state[name]));
      if (fit.length) return fit[0];
    }
    return elements[0];
  };
  const follow = () => {
    const verdicts = all(".verdict[data-human]"), said = nearest(verdicts, ["human", "level", "statistic"]);
    verdicts.forEach((each) => { each.hidden = each !== said; });
    for (const section of all("section")) {
      const told = all(":is(.told, .next)[data-human]", section), mine = told.filter((each) => each.dataset.human === state.human);
      told.forEach((each) => { each.hidden = mine.length > 0 && !mine.includes(each); });
    }
    const board = nearest(boards, ["level", "statistic"]);
    boards.forEach((each) => { each.hidden = each !== board; });
    if (!board) return;
    const human = all("thead th[data-human]", board).some((head) => head.dataset.human === state.human) ? state.human : all("thead th[data-human]", board)[0].dataset.human;
    all("[data-human]", board).forEach((cell) => cell.classList.toggle("chosen", cell.dataset.human === human));
    all("thead th", board).forEach((head) => {
      const by = state.order === "name" ? !head.dataset.human : head.dataset.human === human;
      if (by) head.setAttribute("aria-sort", head.dataset.human ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
    });
    const body = board.querySelector("tbody"), value = (row) => parseFloat([...row.cells].find((cell) => cell.dataset.human === human)?.dataset.value ?? "-Infinity");
    const name = (row) => row.cells[0].textContent;
    const rows = all("tr:not(.people)", body).sort((a, b) => (state.order === "name" ? 0 : value(b) - value(a)) || name(a).localeCompare(name(b), undefined, { numeric: true }));
    body.append(...rows);
    rows.filter((row) => !row.hidden).forEach((row, at) => row.classList.toggle("more", at >= Number(board.dataset.first)));
  };
  for (const board of boards) {
    const button = board.querySelector(".unfold"), whole = button?.textContent;
    button?.addEventListener("click", () => {
      const folded = board.classList.toggle("folded");
      button.textContent = folded ? whole : `Show the first ${board.dataset.first}`;
      button.setAttribute("aria-expanded", String(!folded));
    });
  }
  follow();

  // -- switches ---------------------------------------------------------------------------------

  for (const select of all("[data-switch]")) select.addEventListener("change", () => {
    state[select.dataset.switch] = select.value;
    document.querySelector("[role=status]").textContent = `Charts show ${all("select[data-switch]").map((each) => each.selectedOptions[0].textContent).join(", ")}.`;
    follow();
    redraw();
  });
  for (const select of all("[data-pick]")) select.addEventListener("change", () => draw(charts.find((chart) => chart.element.id === select.dataset.pick)));
  document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());

  const boxes = all("[data-metric]");
  const shown = document.getElementById("shown");
  const names = new Set(boxes.map((box) => box.dataset.metric));
  const hide = () => {
    state.hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.dataset.metric));
    shown.textContent = `${boxes.length - state.hidden.size} of ${boxes.length}`;
    for (const row of all("tbody tr")) {
      const keys = all("th[scope=row]", row).map((cell) => cell.textContent).filter((text) => names.has(text));
      row.hidden = keys.some((text) => state.hidden.has(text));
    }
    follow();
    redraw();
  };
  boxes.forEach((box) => box.addEventListener("change", hide));
  for (const button of all("[data-all]")) button.addEventListener("click", () => { boxes.forEach((box) => { if (!box.parentElement.hidden) box.checked = Boolean(button.dataset.all); }); hide(); });
  document.getElementById("find").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    boxes.forEach((box) => { box.parentElement.hidden = !box.dataset.metric.toLowerCase().includes(wanted); });
  });
  shown.textContent = `${boxes.length} of ${boxes.length}`;

  // -- tables -----------------------------------------------------------------------------------

  const number = (text) => { const found = text.replace("−", "-").replace(/^[<>]/, "").match(/^[-.\d,]+/); return found ? parseFloat(found[0].replace(/,/g, "")) : NaN; };
  // The heads of the first screen's table are its controls: the criterion, and the order by value or by name.
  const control = (name, value) => {
    const select = document.querySelector(`[data-switch=${name}]`);
    if (!select || select.value === value) return;
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  const sortable = (table) => {
    const onBoard = Boolean(table.closest(".board"));
    all("thead th", table).forEach((head, at) => {
      if (!head.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.title = "Sort by this column";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        if (onBoard) {
          control("order", head.dataset.human ? "value" : "name");
          if (head.dataset.human) control("human", head.dataset.human);
          return;
        }
        const down = head.getAttribute("aria-sort") !== "descending";
        all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        for (const body of table.tBodies) {
          const rows = [...body.rows].filter((row) => row.cells.length > at && !row.querySelector(".section"));
          const key = (row) => row.cells[at].textContent.trim();
          rows.sort((a, b) => {
            const x = number(key(a)), y = number(key(b));
            const order = Number.isNaN(x) || Number.isNaN(y) ? key(a).localeCompare(key(b), undefined, { numeric: true }) : x - y;
            return down ? -order : order;
          });
          body.append(...rows);
        }
      });
    });
  };
  all(".wide table").forEach(sortable);

  // -- downloads, copying, light and dark -------------------------------------------------------

  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  for (const button of all("[data-download]")) button.addEventListener("click", async () => {
    const text = await unpacked(JSON.parse(document.getElementById(button.dataset.download).textContent)).arrayBuffer();
    save(new Blob([text], { type: "text/plain;charset=utf-8" }), button.dataset.file);
  });
  // A picture has the colours that the style sheet gives the chart now, and its paper behind it.
  const picture = (chart) => {
    const svg = chart.element.querySelector("svg").cloneNode(true), styles = getComputedStyle(document.documentElement);
    svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", "var(--paper)"]]) paper.setAttribute(name, value);
    svg.prepend(paper);
    return new XMLSerializer().serializeToString(svg).replace(/var\((--[\w-]+)\)/g, (_, name) => styles.getPropertyValue(name).trim());
  };
  for (const button of all("[data-picture]")) button.addEventListener("click", async () => {
    const chart = charts.find((each) => each.element.id === button.dataset.picture);
    if (!chart.view) { seen.add(chart.element); await draw(chart); }
    if (!chart.view) return;
    const vector = new Blob([picture(chart)], { type: "image/svg+xml" }), name = chart.element.id.replace("chart-", "");
    if (button.dataset.kind === "svg") { save(vector, `${name}.svg`); return; }
    const image = new Image(), url = URL.createObjectURL(vector);
    image.src = url;
    await image.decode();
    URL.revokeObjectURL(url);
    const canvas = document.createElement("canvas"), { width, height } = chart.element.querySelector("svg").getBoundingClientRect();
    [canvas.width, canvas.height] = [width * 2, height * 2];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
  });
  for (const button of all("[data-copy]")) button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try { await navigator.clipboard.writeText(source.textContent); } catch {
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
  });
  const theme = document.getElementById("theme");
  const label = () => theme.setAttribute("aria-pressed", String(dark()));
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; label(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();
  document.documentElement.dataset.ready = "yes";
})();
