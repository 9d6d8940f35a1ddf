// The page, and the worker that searches: the same text runs in both.
const RESERVE = 2 * 2 ** 30; // bytes of a GPU that stay free, as the program has it
const PIECE_MS = 60; // a piece of a search, so that a cancel is heard soon
const LONGEST_LINK = 30000;

function bytesOf(base64) {
  return Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
}

// ---- the worker ------------------------------------------------------------------------------------------------------

function workerMain() {
  let stopped = false;
  async function run({ wasm, model, cluster, plan, space }) {
    const dtcore = await load(wasm);
    const size = Number(dtcore.search_size(model, cluster, plan, space));
    const counts = {};
    let [found, done, piece, last] = [[], 0, 1024, null];
    while (done < size && !stopped) {
      const number = Math.min(piece, size - done);
      const start = performance.now();
      const [best, told] = dtcore.search(model, cluster, plan, done, number, space);
      found = dtcore.search_merge(found, best, space.keep);
      for (const key of ["tried", "same", "illegal", "unknown", "over", "fit"]) counts[key] = (counts[key] ?? 0) + Number(told[key]);
      if (told.least && (!last || told.least < last.least)) last = told;
      done += number;
      const spent = performance.now() - start;
      piece = Math.max(64, Math.min(2 * piece, Math.round((piece * PIECE_MS) / Math.max(spent, 1))));
      postMessage({ done, size });
      await new Promise((next) => setTimeout(next, 0));
    }
    const plans = found.map((one) => ({ ...one, plan: dtcore.search_plan(model, cluster, plan, one.index, space) }));
    postMessage({ plans, counts, size, done, limit: last?.limit ?? "none", least: last?.least ?? 0 });
  }
  onmessage = ({ data }) => {
    if (data.stop) stopped = true;
    else run(data).catch((e) => postMessage({ error: { text: e.text ?? String(e), zh: e.zh ?? String(e) } }));
  };
}

// ---- the page --------------------------------------------------------------------------------------------------------

const $ = (id) => document.getElementById(id);

// An element with text or children, never with markup.
function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, v] of Object.entries(attributes)) e.setAttribute(key, v);
  e.append(...children.map((c) => (typeof c === "object" ? c : String(c))));
  return e;
}

const gib = (bytes) => `${(Number(bytes) / 2 ** 30).toFixed(2)} GiB`;
const ITEMS = ["weights", "gradients", "optimizer", "buckets", "gathered", "activations", "transient", "workspace", "cache"];
const COLOURS = ["#2f6fb0", "#d1770c", "#3a8f4a", "#8a5fb5", "#b04a4a", "#0e8f8f", "#8f7a00", "#a8578f", "#6b6b6b"];
const FIELDS = ["model", "config", "cluster", "gpus", "framework", "batch", "seq", "objective", "plan", "message", "lang"];
const DEFAULTS = { model: "llama-3-70b", config: "", cluster: "dgx-h100", gpus: "64", framework: "", batch: "128", seq: "", objective: "time", plan: "", message: "", lang: "" };

async function pageMain() {
  const wasm = bytesOf($("wasm").textContent);
  const dtcore = await load(wasm);
  let worker = null;
  let shown = null; // what the copy buttons copy
  const lang = () => $("lang").value;
  const t = (key, ...args) => (typeof TEXTS[lang()][key] === "function" ? TEXTS[lang()][key](...args) : TEXTS[lang()][key]);
  const lineOf = (e) => (e instanceof DtcoreError ? e.line(lang()) : String(e.message ?? e));
  const say = (text) => ($("status").textContent = text);

  // ---- the question

  const mode = () => ($("mode-plan").checked ? "plan" : "find");

  function fillLists() {
    $("models").replaceChildren(...dtcore.model_names().map((name) => make("option", { value: name })));
    const options = (names) => names.map((name) => make("option", { value: name }, name));
    $("cluster").replaceChildren(...options(dtcore.cluster_names()), ...options(dtcore.gpu_names()));
    $("framework").replaceChildren(make("option", { value: "" }), ...options(Object.keys(dtcore.enums.framework).filter((w) => w !== "default")));
    $("objective").replaceChildren(...options(["time", "gpu_time", "memory"]));
  }

  function showTexts() {
    document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
    for (const e of document.querySelectorAll("[data-t]")) e.textContent = t(e.dataset.t);
    for (const option of $("objective").options) option.textContent = t(option.value);
    $("framework").options[0].textContent = t("any");
  }

  function showMode() {
    $("find-fields").hidden = mode() !== "find";
    $("plan-fields").hidden = mode() !== "plan";
  }

  function readLink() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of FIELDS) {
      const v = given.get(name) ?? DEFAULTS[name];
      if (name === "lang") $(name).value = v in TEXTS ? v : /^zh/.test(navigator.language) ? "zh" : "en";
      else $(name).value = v;
    }
    if (!$("cluster").value) $("cluster").value = DEFAULTS.cluster;
    if (!$("objective").value) $("objective").value = "time";
    $("mode-plan").checked = given.get("mode") === "plan";
    $("mode-find").checked = !$("mode-plan").checked;
    $("paste").open = $("config").value !== "";
    return given.has("go");
  }

  function writeLink(answered) {
    const out = new URLSearchParams();
    for (const name of FIELDS) if ($(name).value !== DEFAULTS[name]) out.set(name, $(name).value);
    if (mode() === "plan") out.set("mode", "plan");
    if (answered) out.set("go", "1");
    const text = out.toString();
    history.replaceState(null, "", text.length <= LONGEST_LINK ? `#${text}` : "#");
    return text.length <= LONGEST_LINK;
  }

  function wrong(id, text) {
    $(`${id}-error`)?.replaceChildren(text);
    $(id).setAttribute("aria-invalid", "true");
    throw Object.assign(new Error(text), { at: id });
  }

  function clearWrong() {
    for (const e of document.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
    for (const e of document.querySelectorAll(".error")) e.textContent = "";
  }

  function whole(id, message, empty = null) {
    const text = $(id).value.trim().replace(/,/g, "");
    if (text === "" && empty !== null) return empty;
    if (!/^[0-9]{1,15}$/.test(text)) wrong(id, message);
    return Number(text);
  }

  // {model} or {size}: parameters of which nothing else is known.
  function readModel() {
    const config = $("config").value.trim();
    if (config) {
      try {
        return { name: "", model: dtcore.model_from_hf(config) };
      } catch (e) {
        $("paste").open = true;
        wrong("model", `config.json: ${lineOf(e)}`);
      }
    }
    const name = $("model").value.trim();
    if (!name) wrong("model", t("needModel"));
    const size = /^([0-9]+(?:\.[0-9]+)?)\s*([kmbt])$/i.exec(name);
    if (size) return { name, size: Math.round(Number(size[1]) * { k: 1e3, m: 1e6, b: 1e9, t: 1e12 }[size[2].toLowerCase()]) };
    try {
      return { name, model: dtcore.model_find(name) };
    } catch (e) {
      return wrong("model", lineOf(e));
    }
  }

  function readCluster() {
    const name = $("cluster").value;
    const cluster = dtcore.cluster_names().includes(name) ? dtcore.cluster_find(name) : dtcore.gpu_find(name);
    const gpus = whole("gpus", t("needGpus"));
    const node = cluster.gpus_per_node || 8;
    if (gpus < 1) wrong("gpus", t("needGpus"));
    if (gpus < node)
      return { ...cluster, gpus_per_node: gpus, nvlink_domain: cluster.nvlink_domain === node ? gpus : cluster.nvlink_domain, nodes: 1 };
    if (gpus % node) wrong("gpus", t("wholeNodes", node));
    return { ...cluster, gpus_per_node: node, nodes: gpus / node };
  }

  // ---- answers

  function table(heads, rows, numbers = []) {
    const kind = (cell, i) => (numbers.includes(i) ? { class: "number" } : cell.className === "bar" ? { class: "bars" } : {});
    const body = rows.map((row) => make("tr", {}, ...row.map((cell, i) => make("td", kind(cell, i), cell))));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": heads[0] },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((h) => make("th", { scope: "col" }, h)))), make("tbody", {}, ...body)));
  }

  function bar(parts, whole, label) {
    const e = make("div", { class: "bar", role: "img", "aria-label": label });
    for (const [colour, v] of parts) {
      const piece = make("span");
      piece.style.width = `${(100 * v) / whole}%`;
      piece.style.background = colour;
      e.append(piece);
    }
    return e;
  }

  function memoryTable(stages) {
    const most = Math.max(...stages.map((m) => Math.max(Number(m.capacity), Number(m.device))));
    const rows = stages.map((m) => {
      const values = ITEMS.map((item) => (item === "cache" ? Number(m.device) - Number(m.allocated) : Number(m[item])));
      const label = ITEMS.map((item, i) => `${t(item)} ${gib(values[i])}`).filter((_, i) => values[i] > 0).join(", ");
      return [String(m.stage), gib(m.device), bar(values.map((v, i) => [COLOURS[i], v]), most, label)];
    });
    const key = make("ul", { class: "key" }, ...ITEMS.map((item, i) => {
      const square = make("span");
      square.style.background = COLOURS[i];
      return make("li", {}, square, t(item));
    }));
    const made = table([t("stage"), t("needed"), t("items")], rows, [0, 1]);
    return [make("h3", {}, t("perStage")), key, made];
  }

  function timeTable(step) {
    const names = Object.keys(TEXTS.en.steps).filter((name) => step[name] > 0);
    const rows = names.map((name) => [t("steps")[name], step[name].toFixed(4), `${((100 * step[name]) / step.seconds).toFixed(1)} %`,
      bar([[COLOURS[0], step[name]]], step.seconds, t("steps")[name])]);
    return [make("h3", {}, t("perItem")),
      make("p", {}, t("speed", step.seconds.toFixed(3), step.low.toFixed(3), step.high.toFixed(3), step.tokens_per_gpu.toFixed(0), (100 * step.mfu).toFixed(1))),
      table([t("item"), t("seconds"), t("share"), ""], rows, [1, 2])];
  }

  function findingsList(findings) {
    if (!findings.length) return [make("h3", {}, t("findings")), make("p", {}, t("noFindings"))];
    return [make("h3", {}, t("findings")), make("ul", {}, ...findings.map((e) => make("li", {}, `${t(e.severity)}: ${lineOf(e)}`)))];
  }

  function remedyTable(remedies) {
    if (!remedies.length) return [];
    const rows = remedies.map((r) => [`${dtcore.field_name(r.field)} = ${dtcore.value_name(r.field, r.value) === "?" ? r.value : dtcore.value_name(r.field, r.value)}`, gib(r.saved), r.fits ? t("yes") : t("no")]);
    return [make("h3", {}, t("remedies")), table([t("change"), t("saves"), ""], rows, [1])];
  }

  function launchPart(model, cluster, plan) {
    const select = make("select", { id: "target" });
    const text = make("pre", { id: "launch", tabindex: "0" });
    const write = () => {
      try {
        text.textContent = dtcore.launch_write(model, cluster, plan, { target: Number(select.value) }, "", "");
      } catch (e) {
        text.textContent = lineOf(e);
      }
    };
    try {
      for (const target of dtcore.launch_targets(plan, {})) {
        const word = Object.entries(dtcore.enums.launch_target).find(([, v]) => v === target)[0];
        select.append(make("option", { value: target }, word));
      }
    } catch (e) {
      if (!(e instanceof DtcoreError)) throw e;
      return [make("h3", {}, t("launch")), make("p", {}, lineOf(e))];
    }
    select.addEventListener("change", write);
    write();
    return [make("h3", {}, t("launch")), make("label", { for: "target" }, t("target")), select, text];
  }

  const tryOr = (body, otherwise) => {
    try {
      return body();
    } catch (e) {
      if (!(e instanceof DtcoreError)) throw e;
      return otherwise(e);
    }
  };

  // Everything about one plan.
  function judged({ name, model }, cluster, plan, before = []) {
    const out = [...before];
    const answer = { model: name || "config.json", cluster: $("cluster").value, gpus: Number($("gpus").value) };
    const problems = [];
    const findings = [...tryOr(() => dtcore.plan_check(model, cluster, plan), (e) => [e])];
    const resolved = tryOr(() => dtcore.plan_resolve(model, cluster, plan), (e) => (findings.length || problems.push(e), null));
    if (resolved) findings.push(...tryOr(() => dtcore.framework_lint_plan(model, cluster, plan), () => []));
    answer.plan = tryOr(() => dtcore.plan_format(plan, name || null), () => "");
    out.push(make("pre", {}, answer.plan));
    const stages = resolved && tryOr(() => dtcore.memory_stages(model, cluster, plan), (e) => (problems.push(e), null));
    const step = resolved && tryOr(() => dtcore.step(model, cluster, plan), (e) => (problems.push(e), null));
    if (stages) {
      answer.memory = stages;
      const worst = stages.reduce((a, m) => (m.device > a.device ? m : a));
      say(t(worst.fits === false ? "over" : "fits", gib(worst.device), gib(worst.capacity)));
      out.push(make("p", {}, make("strong", {}, $("status").textContent)));
      out.push(...memoryTable(stages));
      if (worst.fits === false) out.push(...remedyTable(tryOr(() => dtcore.memory_remedies(model, cluster, plan), () => [])));
    } else {
      say(lineOf(findings[0] ?? problems[0] ?? ""));
    }
    if (step) {
      answer.step = step;
      out.push(...timeTable(step));
    }
    answer.findings = [...findings, ...problems];
    out.push(...findingsList(answer.findings));
    if (resolved) out.push(...launchPart(model, cluster, resolved));
    shown = answer;
    show(out);
  }

  function show(parts) {
    $("result").replaceChildren(...parts);
    $("answer").hidden = false;
  }

  function showSize({ name, size }, cluster) {
    const states = dtcore.memory_states(size, {});
    const room = Number(cluster.usable || cluster.memory || 0);
    const near = dtcore.model_names().filter((one) => Math.abs(Number(dtcore.model_params(dtcore.model_find(one)).total) / size - 1) < 0.15);
    const text = t("sizeOnly", name, gib(states.total), room ? Math.ceil(Number(states.total) / room) : "?", $("cluster").value);
    shown = { model: name, states };
    say(text);
    show([make("p", {}, text), make("p", {}, ...near.map((one) => {
      const button = make("button", { type: "button" }, one);
      button.addEventListener("click", () => {
        $("model").value = one;
        answer();
      });
      return button;
    }))]);
  }

  function plansTable(of, cluster, plans) {
    const rows = plans.map((one) => {
      const button = make("button", { type: "button" }, t("use"));
      const text = tryOr(() => dtcore.plan_format(one.plan, of.name || null), () => "");
      button.addEventListener("click", () => {
        judged(of, cluster, one.plan, plansTable(of, cluster, plans));
        $("answer").focus();
      });
      return [one.seconds.toFixed(3), gib(one.device), make("code", {}, text), button];
    });
    return [make("h3", {}, t("plans")), table([t("seconds"), t("device"), t("planColumn"), ""], rows, [0, 1])];
  }

  // ---- the search

  function stopSearch() {
    worker?.terminate();
    worker = null;
    $("cancel").hidden = $("work").hidden = true;
    $("go").disabled = false;
  }

  function search(of, cluster, plan) {
    const source = URL.createObjectURL(new Blob([$("program").textContent], { type: "text/javascript" }));
    worker = new Worker(source);
    URL.revokeObjectURL(source);
    $("cancel").hidden = $("work").hidden = false;
    $("go").disabled = true;
    worker.onerror = (e) => {
      stopSearch();
      say(e.message);
    };
    let told = 0;
    worker.onmessage = ({ data }) => {
      if (data.error) {
        stopSearch();
        say(data.error[lang() === "zh" ? "zh" : "text"]);
      } else if (!data.plans) {
        $("progress").value = data.done / data.size;
        if (performance.now() - told > 1000) say(t("searching", data.done, data.size)); // not more than can be heard
        if (performance.now() - told > 1000) told = performance.now();
      } else {
        stopSearch();
        const note = data.done < data.size ? `${t("cancelled")} ` : "";
        if (data.plans.length) judged(of, cluster, data.plans[0].plan, plansTable(of, cluster, data.plans));
        else showNone(of, data);
        shown.counts = data.counts;
        say(note + (data.plans.length ? `${t("found", data.plans.length)} ${$("status").textContent}` : $("status").textContent));
        $("answer").focus();
      }
    };
    const space = { objective: $("objective").value, keep: 10, reserve: RESERVE };
    worker.postMessage({ wasm, model: of.model, cluster, plan, space });
  }

  function showNone(of, data) {
    const text = t("none", t(data.limit) ?? data.limit);
    shown = { model: of.name, plan: "", counts: data.counts, limit: data.limit };
    say(text);
    show([make("p", {}, text), make("pre", {}, JSON.stringify(data.counts, null, 1))]);
  }

  function planOf(text) {
    const [plan, model] = dtcore.plan_parse(text);
    return { plan, model };
  }

  function answer() {
    stopSearch();
    clearWrong();
    try {
      writeLink(true);
      const of = readModel();
      const cluster = readCluster();
      if (of.size) {
        showSize(of, cluster);
      } else if (mode() === "plan") {
        judged(of, cluster, planOf($("plan").value).plan);
        $("answer").focus();
      } else {
        const plan = { global_batch: whole("batch", t("needBatch")), seq: whole("seq", t("badNumber", t("seq")), 0) };
        if ($("framework").value) plan.framework = $("framework").value;
        search(of, cluster, plan);
      }
    } catch (e) {
      if (!e.at && !(e instanceof DtcoreError)) throw e;
      say(lineOf(e));
      $("answer").hidden = true;
      if (e.at) $(e.at).focus();
    }
  }

  // ---- the message

  function explain() {
    clearWrong();
    writeLink(!$("answer").hidden);
    try {
      const alloc = dtcore.explain_read($("message").value);
      const of = readModel();
      if (of.size) alloc.params = of.size;
      const plan = mode() === "plan" ? planOf($("plan").value).plan : $("framework").value ? { framework: $("framework").value } : {};
      const found = dtcore.explain_alloc(of.model ?? null, readCluster(), plan, alloc);
      const rows = found.map((one) => [dtcore.explain_text(one.suspect, lang()), gib(one.bytes), one.solved && one.solved !== "none" ? `${one.solved} = ${one.value}` : ""]);
      $("explained").replaceChildren(make("p", {}, `${t("size")}: ${gib(alloc.bytes)}`),
        ...(rows.length ? [make("h3", {}, t("suspects")), table([t("suspect"), t("bytes"), t("solved")], rows, [1])] : [make("p", {}, t("noSuspect"))]));
    } catch (e) {
      if (!e.at && !(e instanceof DtcoreError)) throw e;
      $("explained").replaceChildren(make("p", { class: "error" }, lineOf(e)));
    }
  }

  // ---- copies

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      say(t("copied"));
    } catch (e) {
      const area = make("textarea", { rows: "4", "aria-label": t("answer") });
      area.value = text;
      $("copies").append(area);
      area.select();
      say(t("cannotCopy"));
    }
  }

  const json = () => JSON.stringify(shown, (_, v) => (typeof v === "bigint" ? String(v) : v), 2);

  fillLists();
  const asked = readLink();
  showTexts();
  showMode();
  $("question").addEventListener("submit", (e) => {
    e.preventDefault();
    answer();
  });
  $("question").addEventListener("change", () => {
    showMode();
    writeLink(!$("answer").hidden);
  });
  $("message").addEventListener("change", () => writeLink(!$("answer").hidden));
  $("lang").addEventListener("change", () => {
    showTexts();
    writeLink(!$("answer").hidden);
    if (!$("answer").hidden) answer();
    if ($("explained").childElementCount) explain();
  });
  $("cancel").addEventListener("click", () => worker?.postMessage({ stop: true }));
  $("explain").addEventListener("click", explain);
  $("copy-text").addEventListener("click", () => copy($("result").innerText));
  $("copy-json").addEventListener("click", () => copy(json()));
  $("copy-plan").addEventListener("click", () => copy(shown?.plan ?? ""));
  $("copy-link").addEventListener("click", () => (writeLink(true) ? copy(location.href) : say(t("largeLink"))));
  window.addEventListener("hashchange", () => {
    const again = readLink();
    showTexts();
    showMode();
    if (again) answer();
  });
  say(t("ready"));
  if (asked) answer();
  if ($("message").value) explain();
  document.documentElement.dataset.ready = "1";
}

if (typeof document === "undefined") workerMain();
else pageMain();
