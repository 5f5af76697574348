"use strict";
/* Lists and pages of a report. Every text is set as text: nothing here writes markup, and the page's rules would not
   let it. Data are in <script> elements as base64 of gzip of JSON, decoded when somebody wants them. */
(() => {
  const root = document.documentElement;
  const SHOWN = 25, ENTRIES = 40;

  /* light and dark: as the system has it, until somebody chooses */
  const wish = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("codejury-theme"); } catch { /* a browser that keeps nothing for files */ }
  const theme = () => (chosen === "dark" || chosen === "light" ? chosen : wish.matches ? "dark" : "light");
  const paint = () => {
    root.dataset.theme = theme();
    const button = document.getElementById("theme");
    if (button) {
      button.hidden = false;
      button.textContent = theme() === "dark" ? "Light" : "Dark";
      button.setAttribute("aria-label", `Switch to ${theme() === "dark" ? "light" : "dark"} colours`);
    }
  };
  paint();
  wish.addEventListener("change", paint);

  /* elements */
  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "onclick" || name === "oninput" || name === "onchange") node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  const TAGS = new Set(["svg", "g", "rect", "path", "line", "text", "circle", "title"]);
  const NAMES = new Set(["viewBox", "role", "aria-label", "class", "x", "y", "width", "height", "rx", "d", "x1", "y1", "x2",
    "y2", "transform", "text-anchor", "cx", "cy", "r"]);
  const picture = (tree) => {
    if (typeof tree === "string") return document.createTextNode(tree);
    const [tag, attributes, ...children] = tree;
    if (!TAGS.has(tag)) throw new Error("a picture has no such part");
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) if (NAMES.has(name)) node.setAttribute(name, value);
    node.append(...children.map(picture));
    return node;
  };

  /* data */
  const known = new Map();
  const decoded = (name) => {
    if (!known.has(name)) {
      const holder = document.getElementById(name);
      if (!holder) return Promise.resolve(null);
      const binary = atob(holder.textContent);
      const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      known.set(name, new Response(stream).json());
      if (known.size > 24) known.delete([...known.keys()].find((key) => !key.endsWith("-list")));
    }
    return known.get(name);
  };
  const say = (text) => { document.getElementById("status").textContent = text; };

  /* values */
  const percent = (value) => (value === null ? "–" : `${(value * 100).toFixed(1)} %`);
  const shown = (value, kind) => {
    if (value === null || value === undefined || value === "") return "–";
    if (kind === "percent") return percent(value);
    if (kind === "number") return Number.isInteger(value) ? value.toLocaleString("en") : value.toPrecision(3);
    return String(value);
  };
  const chip = (text, tone) => make("bdi", { class: `chip ${/^[a-z]+$/.test(tone || "") ? tone : ""}` }, text);

  /* lists */
  const lists = new Map();
  const list = async (holder) => {
    const key = holder.dataset.list;
    const data = await decoded(`${key}-list`);
    const columns = data.columns.filter((column) => column.values.some((value) => value !== null && value !== ""));
    const haystack = data.ids.map((id, at) => `${id}\n${data.hints[at] || ""}`.toLowerCase());
    const state = { words: "", filters: new Map(), sort: null, descending: false, from: 0, order: data.ids.map((_, at) => at) };
    lists.set(key, state);
    const heading = `${key}-heading`;

    const select = () => {
      const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
      const texts = columns.filter((column) => column.kind === "text");
      let order = data.ids.map((_, at) => at).filter((at) => words.every((word) => haystack[at].includes(word)
        || texts.some((column) => String(column.values[at] ?? "").toLowerCase().includes(word))));
      for (const [column, wanted] of state.filters) {
        if (wanted !== "") order = order.filter((at) => String(column.values[at] ?? "") === wanted);
      }
      if (state.sort) {
        const values = state.sort === "id" ? data.ids : state.sort.values;
        const empty = (value) => value === null || value === undefined || value === "";
        const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
          : String(a).localeCompare(String(b), "en", { numeric: true }));
        order.sort((one, other) => {
          const a = values[one], b = values[other];
          if (empty(a) || empty(b)) return empty(a) - empty(b);
          return state.descending ? compare(b, a) : compare(a, b);
        });
      }
      state.order = order;
      state.from = 0;
      draw();
      say(`${order.length} of ${data.ids.length} are shown`);
    };

    const sorted = (by) => () => {
      const numbers = by !== "id" && by.kind !== "text" && by.kind !== "state";
      if (state.sort === by) state.descending = !state.descending;
      else { state.sort = by; state.descending = numbers; }
      select();
    };
    const head = (name, by, numeric) => make("th", { scope: "col", class: numeric ? "number" : null,
      "aria-sort": state.sort === by ? (state.descending ? "descending" : "ascending") : null },
    make("button", { type: "button", onclick: sorted(by) }, name));

    const row = make("tr"), body = make("tbody");
    const pager = make("div", { class: "pager" });
    const draw = () => {
      const focused = [...row.children].findIndex((cell) => cell.contains(document.activeElement));
      row.replaceChildren(head("name", "id", false),
        ...columns.map((column) => head(column.name, column, column.kind === "number" || column.kind === "percent")));
      if (focused >= 0) row.children[focused].firstElementChild.focus();
      body.replaceChildren(...state.order.slice(state.from, state.from + SHOWN).map((at) => make("tr", null,
        make("td", null, make("a", { href: `#${key}/${at}` }, make("bdi", null, data.ids[at] || "(no name)")),
          data.hints[at] ? make("bdi", { class: "hint" }, data.hints[at]) : null),
        ...columns.map((column) => {
          const value = column.values[at], text = shown(value, column.kind);
          if (column.kind === "state" && text !== "–") return make("td", null, chip(text, column.tones[text]));
          return make("td", { class: column.kind === "text" || column.kind === "state" ? null : "number" }, make("bdi", null, text));
        }))));
      if (!state.order.length) body.append(make("tr", null, make("td", { colspan: columns.length + 1 }, "Nothing is like that.")));
      const last = Math.min(state.order.length, state.from + SHOWN);
      const turn = (step) => () => { state.from += step; draw(); };
      pager.replaceChildren(
        make("button", { type: "button", disabled: state.from === 0, onclick: turn(-SHOWN) }, "Previous"),
        make("span", { class: "range" }, `${state.order.length ? state.from + 1 : 0}–${last} of ${state.order.length.toLocaleString("en")}`),
        make("button", { type: "button", disabled: last >= state.order.length, onclick: turn(SHOWN) }, "Next"));
    };

    let waiting = 0;
    const controls = make("div", { class: "controls", role: "search", "aria-labelledby": heading },
      make("label", { class: "wide" }, "Search", make("input", { type: "search", autocomplete: "off", spellcheck: "false",
        oninput: (event) => { state.words = event.target.value; clearTimeout(waiting); waiting = setTimeout(select, 80); } })));
    for (const column of columns.filter((each) => each.kind === "state")) {
      const counts = new Map();
      for (const value of column.values) counts.set(String(value ?? ""), (counts.get(String(value ?? "")) || 0) + 1);
      if (counts.size < 2) continue;
      const names = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 100);
      controls.append(make("label", null, column.name, make("select",
        { onchange: (event) => { state.filters.set(column, names[event.target.value]?.[0] ?? ""); select(); } },
        make("option", { value: "" }, "all"),
        ...names.map(([name, count], at) => (name === "" ? null : make("option", { value: at }, `${name} (${count.toLocaleString("en")})`))))));
    }
    draw();
    const grid = make("table", { "aria-labelledby": heading }, make("thead", null, row), body);
    holder.append(controls, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": heading }, grid), pager);
  };

  /* pages */
  const copied = async (text, button) => {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = make("textarea", { class: "unseen", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  const body = (text, title, prose) => {
    const whole = typeof text === "string" ? text : text.t;
    const node = prose ? make("div", { class: "text prose" }, whole)
      : make("pre", { class: "text", tabindex: "0", role: "group", "aria-label": title || "text" }, whole || "(empty)");
    const rest = typeof text === "string" ? null
      : make("p", { class: "cut" }, `Cut: the first ${whole.length.toLocaleString("en")} of ${text.of.toLocaleString("en")} characters.`);
    return [node, rest].filter(Boolean);
  };
  const copier = (text, title) => make("button", { type: "button", class: "quiet", "aria-label": `Copy ${title}`,
    onclick: (event) => copied(typeof text === "string" ? text : text.t, event.currentTarget) }, "Copy");
  const entry = (each, level) => {
    const node = make("details", { class: "entry" }, make("summary", null, make("bdi", null, each.name),
      each.state ? chip(each.state, each.tone) : null, each.told ? make("span", { class: "told" }, each.told) : null));
    node.addEventListener("toggle", () => {
      if (!node.open || node.lastElementChild.className === "body") return;
      const inside = make("div", { class: "body" });
      for (const [title, text] of each.parts) {
        inside.append(make("div", { class: "bar" }, make(level, null, title || each.name), copier(text, title || each.name)),
          ...body(text, title || each.name, false));
      }
      node.append(inside);
    });
    return node;
  };
  const blocks = {
    facts: (block) => [make("dl", { class: "pairs" }, ...block.rows.flatMap(([name, value]) =>
      [make("dt", null, name), make("dd", null, make("bdi", null, value))]))],
    text: (block) => {
      const whole = typeof block.text === "string" ? block.text : block.text.t;
      if (block.open) return body(block.text, block.title, block.prose);
      return [make("details", { class: "facts" }, make("summary", null, `${whole.length.toLocaleString("en")} characters`),
        ...body(block.text, block.title, block.prose))];
    },
    table: (block) => [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": block.title || "table" },
      make("table", null, make("thead", null, make("tr", null, ...block.head.map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", null, ...block.rows.map((cells) => make("tr", null, ...cells.map((cell) => {
          if (cell === null || typeof cell !== "object") return make("td", { class: typeof cell === "number" ? "number" : null }, make("bdi", null, shown(cell, typeof cell)));
          if (/^#s\d+\/\d+$/.test(cell.to || "")) return make("td", null, make("a", { href: cell.to }, cell.t));
          return make("td", null, chip(cell.t, cell.tone));
        }))))))],
    entries: (block) => {
      const holder = make("div", { class: "entries" });
      const more = make("button", { type: "button" });
      const all = make("button", { type: "button", class: "quiet", onclick: () => {
        const open = !holder.querySelector("details[open]");
        for (const each of holder.children) each.open = open;
        all.textContent = open ? "Close all" : "Open all";
      } }, "Open all");
      let count = 0;
      const grow = () => {
        holder.append(...block.entries.slice(count, count + ENTRIES).map((each) => entry(each, "h4")));
        count = Math.min(block.entries.length, count + ENTRIES);
        more.hidden = count >= block.entries.length;
        more.textContent = `Show more (${block.entries.length - count} left)`;
      };
      more.addEventListener("click", grow);
      grow();
      return [block.entries.length ? make("p", null, all) : make("p", { class: "note" }, "None."), holder, make("p", null, more)];
    },
    picture: (block) => [make("figure", { class: "card" }, picture(block.node))],
  };

  const item = document.getElementById.bind(document, "item");
  let place = 0;
  const open = async (key, at) => {
    const data = await decoded(`${key}-list`);
    if (!data || at >= data.ids.length) return close();
    let page = data.starts.length - 1;
    while (page > 0 && data.starts[page] > at) page -= 1;
    const pages = at < data.with_page ? await decoded(`${key}-${page}`) : null;
    const order = (lists.get(key) || { order: [] }).order;
    const here = order.indexOf(at);
    const link = (to, text) => (to === undefined ? null : make("a", { href: `#${key}/${to}` }, text));
    const title = data.ids[at] || "(no name)";
    const node = item();
    node.replaceChildren(
      make("p", { class: "way" }, make("a", { href: `#${key}-items`, class: "back" }, "← Back to the list"),
        link(here > 0 ? order[here - 1] : undefined, "Previous"), link(here >= 0 ? order[here + 1] : undefined, "Next")),
      make("h2", { tabindex: "-1" }, make("bdi", null, title)));
    for (const block of pages ? pages[at - data.starts[page]] : []) {
      const part = make("div", { class: "block" });
      const copyable = block.b === "text";
      if (block.title) part.append(make("div", { class: "bar" }, make("h3", null, block.title), copyable ? copier(block.text, block.title) : null));
      part.append(...blocks[block.b](block));
      if (block.note) part.append(make("p", { class: "note" }, block.note));
      node.append(part);
    }
    if (!pages) node.append(make("p", { class: "note" }, "There was no room for the page of this one: the report would be too large."));
    if (node.hidden) place = scrollY;
    document.getElementById("overview").hidden = true;
    node.hidden = false;
    root.dataset.item = `${key}/${at}`;
    scrollTo({ top: 0, behavior: "instant" });
    node.querySelector("h2").focus({ preventScroll: true });
  };
  const close = () => {
    if (item().hidden) return;
    item().hidden = true;
    document.getElementById("overview").hidden = false;
    delete root.dataset.item;
  };
  const route = async () => {
    const match = /^#(s\d+)\/(\d+)$/.exec(location.hash);
    if (match) return open(match[1], Number(match[2]));
    const was = !item().hidden;
    close();
    const target = /^#(s\d+(-items)?)$/.exec(location.hash);
    if (!was) return;
    if (target && target[2]) {
      scrollTo({ top: place, behavior: "instant" });
      document.getElementById(target[1])?.querySelector("input")?.focus({ preventScroll: true });
    } else if (target) document.getElementById(target[1])?.scrollIntoView();
  };

  addEventListener("hashchange", route);
  addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName || "");
    if (event.key === "Escape" && !item().hidden) location.hash = `#${root.dataset.item.split("/")[0]}-items`;
    if (event.key === "/" && !typing && item().hidden) {
      const inputs = [...document.querySelectorAll(".list input")];
      const next = inputs.find((input) => input.getBoundingClientRect().bottom > 0) || inputs[0];
      if (next) { event.preventDefault(); next.focus(); }
    }
  });
  addEventListener("beforeprint", () => { for (const each of document.querySelectorAll(".facts")) each.open = true; });
  document.addEventListener("DOMContentLoaded", async () => {
    paint();
    document.getElementById("theme").addEventListener("click", () => {
      chosen = theme() === "dark" ? "light" : "dark";
      try { localStorage.setItem("codejury-theme", chosen); } catch { /* it holds until the page is closed */ }
      paint();
    });
    await Promise.all([...document.querySelectorAll("[data-list]")].map(list));
    await route();
    root.dataset.ready = "yes";
  });
})();
