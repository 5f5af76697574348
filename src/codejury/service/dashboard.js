"use strict";
/* What goes on, live. Every text is set as text: nothing here writes markup, and the page's rules would not let it.
   The token is kept for this tab alone, and goes nowhere but into a header of requests to this service. */
(() => {
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const KEPT = 300, SILENCE_MS = 15000, LONGEST_WAIT_MS = 5000;
  const GOOD = new Set(["ok", "success"]);

  /* light and dark: as the system has it, until somebody chooses */
  const wish = matchMedia("(prefers-color-scheme: dark)");
  const kept = (storage, name, value) => {
    try {
      if (value === undefined) return storage().getItem(name);
      if (value === null) storage().removeItem(name); else storage().setItem(name, value);
    } catch { /* a browser that keeps nothing */ }
    return null;
  };
  const local = () => localStorage, tab = () => sessionStorage;
  let chosen = kept(local, "codejury-theme");
  const theme = () => (chosen === "dark" || chosen === "light" ? chosen : wish.matches ? "dark" : "light");
  const paint = () => {
    root.dataset.theme = theme();
    $("theme").hidden = false;
    $("theme").textContent = theme() === "dark" ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", `Switch to ${theme() === "dark" ? "light" : "dark"} colours`);
  };
  wish.addEventListener("change", paint);
  $("theme").addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    kept(local, "codejury-theme", chosen);
    paint();
  });
  paint();

  /* elements */
  const grown = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const make = (tag, attributes, ...children) => grown(document.createElement(tag), attributes, children);
  const draw = (tag, attributes, ...children) =>
    grown(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const told = (text) => make("bdi", null, text);
  const name = (text) => make("bdi", null, ...text.split("_").flatMap((part, at) => (at ? ["_", make("wbr"), part] : [part])));

  /* words */
  const number = (value) => value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });
  const seconds = (value) => {
    if (value === null || value === undefined) return "–";
    if (value < 0.0995) return `${(value * 1000).toPrecision(2)} ms`;
    if (value < 1) return `${Math.round(value * 1000)} ms`;
    if (value < 100) return `${value.toFixed(1)} s`;
    return duration(value);
  };
  const duration = (value) => {
    const whole = Math.max(0, Math.floor(value));
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    const two = (part) => String(part).padStart(2, "0");
    return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  };
  const megabytes = (value) => (value >= 1024 ? `${(value / 1024).toFixed(1)} GB` : `${number(value)} MB`);

  /* charts */
  const nice = (most) => {
    if (!(most > 0)) return 1;
    const step = 10 ** Math.floor(Math.log10(most));
    return [1, 2, 2.5, 5, 10].map((each) => each * step).find((each) => each >= most * 0.999);
  };
  const WIDE = 400, HIGH = 136, LEFT = 52, RIGHT = 6, TOP = 8, LOW = 20, GAP = 5;
  const chart = (title, said, shown, series) => {
    /* series: [class, values with null for nothing, whether the area is filled] */
    const all = series.flatMap(([, values]) => values.filter((value) => value !== null));
    const most = nice(Math.max(0, ...all));
    const x = (at, count) => LEFT + (WIDE - LEFT - RIGHT) * ((KEPT - count + at) / (KEPT - 1));
    const y = (value) => HIGH - LOW - (HIGH - LOW - TOP) * (value / most);
    const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "chart", role: "img", "aria-label": `${title}: ${said}` });
    for (const value of [0, most / 2, most]) {
      svg.append(draw("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }));
      svg.append(draw("text", { class: "small", x: LEFT - 5, y: y(value) + 3.5, "text-anchor": "end" }, value ? shown(value) : "0"));
    }
    svg.append(draw("text", { class: "small", x: LEFT, y: HIGH - 4 }, "5 min ago"));
    svg.append(draw("text", { class: "small", x: WIDE - RIGHT, y: HIGH - 4, "text-anchor": "end" }, "now"));
    for (const [css, values, filled] of series) {
      let path = "", before = -Infinity;
      const count = values.length, pieces = [];
      values.forEach((value, at) => {
        if (value === null) return;
        const point = `${x(at, count).toFixed(1)} ${y(value).toFixed(1)}`;
        if (at - before > GAP) { path += `M${point}h.01`; pieces.push([x(at, count).toFixed(1), point]); }
        else { path += `L${point}`; pieces[pieces.length - 1].push(point); }
        before = at;
      });
      if (filled) {
        for (const [from, ...points] of pieces) {
          if (points.length < 2) continue;
          const to = points[points.length - 1].split(" ")[0];
          svg.append(draw("path", { class: `band ${css}`, d: `M${from} ${y(0)}L${points.join("L")}L${to} ${y(0)}Z` }));
        }
      }
      if (path) svg.append(draw("path", { class: `stroke ${css}`, d: path, "stroke-linecap": "round" }));
    }
    return svg;
  };

  /* the board */
  let history = [], latest = null, paused = false, ended = false;
  const mean = (values) => (values.length ? values.reduce((sum, each) => sum + each, 0) / values.length : 0);
  const last = (count, name) => history.slice(-count).map((each) => each[name]);
  const figure = (label, value, more) =>
    make("div", null, make("dt", null, label), make("dd", { class: "value" }, value), make("dd", { class: "of" }, more));

  const figures = (state) => {
    const now = history[history.length - 1];
    const isService = state.mode === "service";
    const failed = state.kinds.filter((kind) => !GOOD.has(kind.name) && (isService ? kind.group !== "program" : kind.group === "program"));
    const shown = [
      figure(isService ? "results a second" : "programs a second", number(mean(last(10, isService ? "results" : "programs"))), "of the last ten seconds"),
      figure("latency", seconds(state.p50_s), `p99 ${seconds(state.p99_s)}, of the last minute`),
      figure("workers busy", `${number(state.runs.length + state.runs_more)} of ${number(state.workers)}`,
        state.waits_for_worker ? `${number(state.waits_for_worker)} wait for one` : "nobody waits for one"),
    ];
    if (state.queue) shown.push(figure("waiting", number(state.queue.waiting), `of ${number(state.queue.places)} places`));
    shown.push(figure(isService ? "failures" : "not ok", number(failed.reduce((sum, kind) => sum + kind.recent, 0)), "in the last minute"));
    shown.push(figure("memory", megabytes(now.memory_mb), `largest program ${megabytes(state.program_mb)}`));
    $("figures").replaceChildren(...shown);
  };

  const charts = (state) => {
    const isService = state.mode === "service";
    const rate = last(KEPT, isService ? "results" : "programs");
    const wait = last(KEPT, "waiting"), memory = last(KEPT, "memory_mb");
    const p50 = last(KEPT, "p50_s"), p99 = last(KEPT, "p99_s");
    const bad = last(KEPT, "failures");
    const most = (values) => Math.max(0, ...values.filter((value) => value !== null));
    const card = (title, note, picture) => make("figure", { class: "card" }, make("figcaption", null, title), picture, make("p", { class: "note" }, ...note));
    const key = (css, text) => make("span", { class: `key ${css}` }, text);
    const rated = isService ? "Results a second" : "Programs a second";
    const failing = isService ? "failures" : "not ok";
    $("charts").replaceChildren(
      card(rated, [key("one", "all"), key("three", failing)],
        chart(rated, `${number(mean(rate.slice(-10)))} now, ${number(most(rate))} at most`, number, [["three", bad, true], ["one", rate, false]])),
      card("Latency", [key("one", "p50"), key("three", "p99")],
        chart("Latency", `p50 ${seconds(state.p50_s)}, p99 ${seconds(state.p99_s)} in the last minute`, seconds, [["three", p99, false], ["one", p50, false]])),
      card(isService ? "Requests waiting" : "Programs waiting for a worker", [`${number(wait[wait.length - 1])} now, ${number(most(wait))} at most`],
        chart("Waiting", `${number(wait[wait.length - 1])} now, ${number(most(wait))} at most`, number, [["one", wait, true]])),
      card("Memory of this process", [`${megabytes(memory[memory.length - 1])} now, ${megabytes(most(memory))} at most`],
        chart("Memory", `${megabytes(memory[memory.length - 1])} now`, megabytes, [["one", memory, true]])));
  };

  const rows = (id, cells) => $(id).tBodies[0].replaceChildren(...cells.map((row) => make("tr", null, ...row)));
  const cell = (content, css) => make("td", css ? { class: css } : null, content);

  const workers = (state) => {
    const isService = state.mode === "service";
    for (const each of document.querySelectorAll(".asked")) each.hidden = !isService;
    const idle = Math.max(0, state.workers - state.runs.length - state.runs_more);
    const about = [`${number(state.workers)} workers, ${number(idle)} idle.`];
    if (state.level) about.push(`Isolation: ${state.level} (${state.layers.join(", ")}).`);
    if (state.runs_more) about.push(`${number(state.runs_more)} more programs run.`);
    $("workers-note").textContent = about.join(" ");
    rows("workers", state.runs.length ? state.runs.map((run) => [
      cell(told(run.label)), cell(seconds(run.seconds), "for"),
      ...(isService ? [cell(told(run.kind), "kind"), cell(told(run.client))] : []),
    ]) : [[make("td", { colspan: isService ? 4 : 2 }, "No program runs.")]]);
  };

  const queue = (state) => {
    $("queue").hidden = !state.queue;
    if (!state.queue) return;
    const more = state.queue.more ? ` ${number(state.queue.more)} more clients are not listed.` : "";
    $("queue-note").textContent =
      `${number(state.queue.waiting)} requests wait, of ${number(state.queue.places)} that may. Clients take turns.${more}`;
    rows("clients", state.queue.clients.length ? state.queue.clients.map((each) => [
      cell(told(each.client)), cell(number(each.waiting), "number"), cell(number(each.running), "number"),
    ]) : [[make("td", { colspan: 3 }, "Nobody is here.")]]);
  };

  const TITLES = { result: "Results", program: "Programs in the sandbox", refusal: "Refusals" };
  const kinds = (state) => {
    const shown = [];
    for (const [group, title] of Object.entries(TITLES)) {
      const found = state.kinds.filter((kind) => kind.group === group).sort((one, other) => other.total - one.total);
      if (!found.length && (group !== "result" || state.mode !== "service")) continue;
      const most = Math.max(1, ...found.map((kind) => kind.total));
      const body = found.map((kind) => {
        const good = group !== "refusal" && GOOD.has(kind.name);
        const bar = draw("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
          draw("rect", { class: `fill ${good ? "good" : "bad"}`, width: Math.max(1.5, 100 * kind.total / most), height: 8 }));
        return make("tr", null, make("td", { class: "name" }, name(kind.name)), cell(bar, "bars"),
          cell(number(kind.total), "number"), cell(number(kind.recent), "number"));
      });
      if (!body.length) body.push(make("tr", null, make("td", { colspan: 4 }, "None yet.")));
      const head = make("tr", null, make("th", { scope: "col", colspan: 2 }, "kind"), make("th", { scope: "col", class: "number" }, "in all"),
        make("th", { scope: "col", class: "number" }, "last minute"));
      shown.push(make("div", { class: "card" }, make("h3", null, title),
        make("table", null, make("caption", { class: "unseen" }, title), make("thead", null, head), make("tbody", null, ...body))));
    }
    $("kinds").replaceChildren(...(shown.length ? shown : [make("p", { class: "note" }, "Nothing has ended yet.")]));
  };

  const parts = (state) => {
    $("parts").hidden = state.mode !== "run";
    const shown = state.parts.map((part) => {
      const share = part.share ?? (part.total ? part.done / part.total : null);
      const words = part.total ? `${number(part.done)} of ${number(part.total)} done` : `${number(part.done)} done`;
      const bar = make("progress", { "aria-label": `Progress: ${part.name}`, max: "1" });
      if (share !== null) bar.value = Math.min(1, share);
      const percent = share === null ? "" : `, ${Math.floor(100 * Math.min(1, share))} %`;
      const left = share > 0.01 && share < 1 ? `, about ${duration((state.at - state.since) / share * (1 - share))} left` : "";
      return make("div", { class: "card" }, make("h3", null, told(part.name)), make("p", { class: "note" }, words + percent + left), bar,
        make("dl", { class: "pairs" }, ...Object.entries(part.counts).flatMap(([name, count]) => [
          make("dt", null, told(name)), make("dd", null, number(count))])));
    });
    $("parts-list").replaceChildren(...(shown.length ? shown : [make("p", { class: "note" }, "It has not begun yet.")]));
  };

  const show = () => {
    if (!latest || paused) return;
    const state = latest;
    document.title = state.title;
    $("title").textContent = state.title;
    $("about").textContent = `up ${duration(state.at - state.since)}${state.ready ? "" : ", stopping"}`;
    $("footer").textContent = `codejury ${state.version}. Figures and charts are of this process, and go back five minutes.`;
    for (const part of [parts, figures, charts, workers, queue, kinds]) part(state);
    $("board").hidden = false;
    $("pause").hidden = false;
    if (state.mode === "service" && $("try").hidden) { $("try").hidden = false; languages(); }
    root.dataset.ready = "";
  };

  const take = (event) => {
    latest = event.state;
    if (event.history) history = event.history;
    else if (event.sample) history = [...history.slice(1 - KEPT), event.sample];
    show();
  };

  const say = (words, css, aloud = true) => {
    const node = $("connection");
    root.classList.toggle("stale", css !== "good");
    if (node.textContent === words) return;
    node.textContent = words;
    node.className = `chip ${css}`;
    if (aloud) $("status").textContent = words;
  };

  $("pause").addEventListener("click", () => {
    paused = !paused;
    $("pause").textContent = paused ? "Go on" : "Pause";
    $("pause").setAttribute("aria-pressed", String(paused));
    show();
  });

  /* asking */
  let token = kept(tab, "codejury-token") || "";
  const ask = (path, more = {}) => fetch(path, {
    ...more, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
    headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more.headers },
  });
  const pause = (ms) => new Promise((go) => setTimeout(go, ms));

  let turn = 0, current = null;
  const listen = async () => {
    const mine = ++turn;
    let wait = 250;
    say("connecting", "", false);
    while (mine === turn && !ended) {
      current = new AbortController();
      try {
        const answer = await ask("/events", { signal: current.signal, headers: { Accept: "text/event-stream" } });
        if (mine !== turn) return;
        if (answer.status === 401) { refused(); return; }
        if (!answer.ok) throw new Error(String(answer.status));
        entered();
        wait = 250;
        await follow(answer.body.getReader(), current);
      } catch { /* told below; the next try may go better */ }
      if (mine !== turn || ended) return;
      say("no connection, trying again", "warn");
      await pause(wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  };

  const follow = async (reader, control) => {
    const decoder = new TextDecoder();
    let text = "", clock = 0;
    const wound = () => { clearTimeout(clock); clock = setTimeout(() => control.abort(), SILENCE_MS); };
    try {
      for (;;) {
        wound();
        const { done, value } = await reader.read();
        if (done) return;
        text += decoder.decode(value, { stream: true });
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const fields = Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
          if (fields.event === "state") { take(JSON.parse(fields.data)); say("live", "good"); }
          if (fields.event === "end" && latest?.mode === "run") { over(); return; }
        }
      }
    } finally {
      clearTimeout(clock);
    }
  };

  const over = () => {
    ended = true;
    say("the command has ended", "one");
    root.classList.remove("stale");
  };

  /* the token */
  const refused = () => {
    turn++;
    const wrong = token !== "";
    token = "";
    kept(tab, "codejury-token", null);
    for (const id of ["board", "try", "leave", "pause", "outcome"]) $(id).hidden = true;
    delete root.dataset.ready;
    $("login").hidden = false;
    $("login-error").textContent = wrong ? "The service does not take this token." : "";
    say("not connected", "", false);
    $("token").value = "";
    $("token").focus();
  };
  const entered = () => {
    $("login").hidden = true;
    $("login-error").textContent = "";
    if (token) { kept(tab, "codejury-token", token); $("leave").hidden = false; }
  };
  $("login").addEventListener("submit", (event) => {
    event.preventDefault();
    token = $("token").value.trim();
    if (/^[\x21-\x7e]+$/.test(token)) listen();
    else { $("login-error").textContent = "A token is made of letters, digits and signs, without blanks."; token = ""; }
  });
  $("leave").addEventListener("click", () => {
    current?.abort();
    token = "";
    latest = null;
    refused();
  });

  /* the box to try */
  const EXAMPLE = { python: "print(sum(map(int, input().split())))\n" };
  const languages = async () => {
    try {
      const answer = await ask("/languages");
      if (!answer.ok) return;
      const known = await answer.json();
      $("language").replaceChildren(...known.map((each) => make("option", { value: each.name }, each.title)));
      if (known.some((each) => each.name === "python")) $("language").value = "python";
      if (!$("source").value && !$("stdin").value && EXAMPLE[$("language").value]) {
        $("source").value = EXAMPLE[$("language").value];
        $("stdin").value = "2 3\n";
      }
      root.dataset.languages = String(known.length);
    } catch { /* the box is of no use, and the connection says why */ }
  };
  const stream = (title, text, cut) => [
    make("div", { class: "bar" }, make("h4", null, title), make("span", { class: "note" }, cut ? "cut" : "")),
    text === "" ? make("p", { class: "note" }, "Nothing.")
      : make("pre", { class: "text", tabindex: "0", role: "region", "aria-label": title }, text),
  ];
  const outcome = (status, css, words, facts, streams) => {
    $("outcome-status").textContent = status;
    $("outcome-status").className = `chip ${css}`;
    $("outcome-words").textContent = words;
    $("outcome-facts").replaceChildren(...facts.flatMap(([name, value]) => [make("dt", null, name), make("dd", null, value)]));
    $("outcome-streams").replaceChildren(...streams);
    $("outcome").hidden = false;
    $("status").textContent = `Outcome: ${status} ${words}`;
  };
  const attempt = async () => {
    $("run").disabled = true;
    $("run").textContent = "Running …";
    try {
      const asked = { source: $("source").value, language: $("language").value, stdin: $("stdin").value };
      const answer = await ask("/try", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
      const said = await answer.json();
      if (answer.status === 401) { refused(); return; }
      if (!answer.ok) { outcome("not run", "warn", said.error.message, [], []); return; }
      const code = said.signal !== null ? `signal ${said.signal}` : said.exit_code !== null ? `exit code ${said.exit_code}` : "";
      outcome(said.status, said.status === "ok" ? "good" : "bad", code, [
        ["time", `${seconds(said.cpu_s)} of CPU, ${seconds(said.wall_s)} on the clock`],
        ["memory", megabytes(said.memory_mb)],
        ["level", said.level],
        ["layers", said.layers.join(", ")],
      ], [...stream("Standard output", said.stdout, said.stdout_cut), ...stream("Standard error", said.stderr, said.stderr_cut)]);
    } catch (error) {
      outcome("not run", "warn", `The service did not answer: ${error.message}`, [], []);
    } finally {
      $("run").disabled = false;
      $("run").textContent = "Run";
    }
  };
  $("try-form").addEventListener("submit", (event) => { event.preventDefault(); attempt(); });
  $("try-form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !$("run").disabled) $("try-form").requestSubmit();
  });

  if (root.dataset.token === "needed" && !token) refused();
  else listen();
})();
