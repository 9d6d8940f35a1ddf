// The page: the question, the link that holds it, the answer. The same text runs in the worker.
import { load, DtcoreError } from "./dtcore.js";
import { $, asText, make, table } from "./draw.js";
import { findingsPart, fullest, gib, groupsPart, heading, launchPart, lineOf, memoryPart, remediesPart, summary,
  timelinePart, timePart,
  tryOr } from "./answer.js";
import { lang, t, TEXTS } from "./text.js";
import { workerMain } from "./worker.js";

const RESERVE = 2 * 2 ** 30; // bytes of a GPU that stay free, as the program has it
const KEEP = 10; // plans that a search shows
const LONGEST_LINK = 30000;

// What the link holds: the fields of the question, and what was chosen in the answer.
const DEFAULTS = { model: "llama-3-70b", config: "", cluster: "dgx-h100", gpus: "64", framework: "", batch: "128",
  seq: "", objective: "time", plan: "", message: "", lang: "" };
const CHOSEN = { pick: "0", target: "", groups: "" };
const UNITS = { k: 1e3, m: 1e6, b: 1e9, t: 1e12 };
const EXAMPLES = [
  ["Llama 3 70B, 64 × H100", { go: "1" }],
  ["Llama 3.1 405B, 16,384 × H100", { go: "1", mode: "plan", model: "llama-3.1-405b", gpus: "16384",
    plan: "megatron tp=8 pp=16 cp=1 dp=128 sp mbs=1 gbs=2048 seq=8192 first=7 last=7" }],
  ["DeepSeek-V3, 2,048 × H800", { go: "1", model: "deepseek-v3", cluster: "h800-80gb", gpus: "2048", batch: "15360",
    seq: "4096" }],
];

const app = {
  dtcore: /** @type {import("./dtcore.js").Dtcore} */ (/** @type {unknown} */ (null)),
  wasm: /** @type {any} */ (null),
  worker: /** @type {any} */ (null),
  shown: /** @type {any} */ (null), // what the copy buttons copy
  chosen: { ...CHOSEN },
};

const say = (text) => ($("status").textContent = text);
const mode = () => ($("mode-plan").checked ? "plan" : "find");
const answered = () => !$("answer").hidden;

// ---- the question ---------------------------------------------------------------------------------------------------

function fillLists() {
  const { dtcore } = app;
  const options = (names) => names.map((name) => make("option", { value: name }, name));
  $("models").replaceChildren(...dtcore.model_names().map((name) => make("option", { value: name })));
  $("cluster").replaceChildren(...options(dtcore.cluster_names()), ...options(dtcore.gpu_names()));
  const frameworks = Object.keys(dtcore.enums.framework).filter((word) => word !== "default");
  $("framework").replaceChildren(make("option", { value: "" }), ...options(frameworks));
  $("objective").replaceChildren(...options(["time", "gpu_time", "memory"]));
}

function showTexts() {
  document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
  for (const e of document.querySelectorAll("[data-t]")) e.textContent = t(/** @type {any} */ (e).dataset.t);
  for (const option of $("objective").options) option.textContent = t(option.value);
  $("framework").options[0].textContent = t("any");
  const links = EXAMPLES.map(([text, state]) => make("a",
    { href: `#${new URLSearchParams({ .../** @type {any} */ (state), lang: lang() })}` }, text));
  $("examples").replaceChildren(t("examples"), ...links.flatMap((link) => [" ", link]));
}

function showMode() {
  $("find-fields").hidden = mode() !== "find";
  $("plan-fields").hidden = mode() !== "plan";
}

// Whether the link asks for the answer too.
function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [name, otherwise] of Object.entries(DEFAULTS)) $(name).value = given.get(name) ?? otherwise;
  const wanted = given.get("lang") ?? "";
  $("lang").value = Object.hasOwn(TEXTS, wanted) ? wanted : /^zh/.test(navigator.language) ? "zh" : "en";
  for (const [name, otherwise] of Object.entries(CHOSEN)) app.chosen[name] = given.get(name) ?? otherwise;
  if (!$("cluster").value) $("cluster").value = DEFAULTS.cluster;
  if (!$("objective").value) $("objective").value = "time";
  $("mode-plan").checked = given.get("mode") === "plan";
  $("mode-find").checked = !$("mode-plan").checked;
  $("paste").open = $("config").value !== "";
  return given.has("go");
}

// False when the question is too long for a link.
function writeLink(asked = answered()) {
  const out = new URLSearchParams();
  const put = (name, value, otherwise) => value !== otherwise && out.set(name, value);
  for (const [name, otherwise] of Object.entries(DEFAULTS)) put(name, $(name).value, otherwise);
  for (const [name, otherwise] of Object.entries(CHOSEN)) put(name, app.chosen[name], otherwise);
  if (mode() === "plan") out.set("mode", "plan");
  if (asked) out.set("go", "1");
  const text = out.toString();
  history.replaceState(null, "", text.length <= LONGEST_LINK ? `#${text}` : "#");
  return text.length <= LONGEST_LINK;
}

function choose(name, value) {
  app.chosen[name] = String(value);
  writeLink();
}

function wrong(id, text) {
  $(`${id}-error`)?.replaceChildren(text);
  $(id).setAttribute("aria-invalid", "true");
  throw Object.assign(new Error(text), { at: id });
}

function clearWrong() {
  for (const e of document.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
  for (const e of document.querySelectorAll("#question .error")) e.textContent = "";
}

function whole(id, message, empty = null) {
  const text = $(id).value.trim().replace(/,/g, "");
  if (text === "" && empty !== null) return empty;
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : wrong(id, message);
}

// {name, model} or {name, size}: parameters of which nothing else is known.
function readModel() {
  const config = $("config").value.trim();
  if (config) {
    const open = (e) => {
      $("paste").open = true;
      return wrong("model", `config.json: ${lineOf(e)}`);
    };
    return tryOr(() => ({ name: "", model: app.dtcore.model_from_hf(config) }), open);
  }
  const name = $("model").value.trim();
  if (!name) wrong("model", t("needModel"));
  const size = /^([0-9]+(?:\.[0-9]+)?)\s*([kmbt])$/i.exec(name);
  if (size) return { name, size: Math.round(Number(size[1]) * UNITS[size[2].toLowerCase()]) };
  return tryOr(() => ({ name, model: app.dtcore.model_find(name) }), (e) => wrong("model", lineOf(e)));
}

function readCluster() {
  const name = $("cluster").value;
  const cluster = app.dtcore.cluster_names().includes(name) ? app.dtcore.cluster_find(name) : app.dtcore.gpu_find(name);
  const gpus = whole("gpus", t("needGpus"));
  const node = Number(cluster.gpus_per_node || 8);
  if (gpus < 1) wrong("gpus", t("needGpus"));
  if (gpus < node)
    return { ...cluster, gpus_per_node: gpus,
      nvlink_domain: cluster.nvlink_domain === node ? gpus : cluster.nvlink_domain, nodes: 1 };
  if (gpus % node) wrong("gpus", t("wholeNodes", node));
  return { ...cluster, gpus_per_node: node, nodes: gpus / node };
}

// ---- the answer -----------------------------------------------------------------------------------------------------

function show(parts) {
  $("result").replaceChildren(...parts);
  $("answer").hidden = false;
}

const verdict = (text, fits) => make("p", { class: fits ? "verdict good" : "verdict bad" }, text);

// Everything about one plan; `before` stands above it.
function judged({ name, model }, cluster, plan, before = []) {
  const { dtcore } = app;
  const problems = [];
  const noted = (e) => (problems.push(e), null);
  const findings = [...tryOr(() => dtcore.plan_check(model, cluster, plan), (e) => [e])];
  const resolved = tryOr(() => dtcore.plan_resolve(model, cluster, plan), (e) => (findings.length ? null : noted(e)));
  if (resolved) findings.push(...tryOr(() => dtcore.framework_lint_plan(model, cluster, plan), () => []));
  const text = tryOr(() => dtcore.plan_format(plan, name || null), () => "");
  const stages = resolved && tryOr(() => dtcore.memory_stages(model, cluster, plan), noted);
  const step = resolved && tryOr(() => dtcore.step(model, cluster, plan), noted);
  const parts = [];
  const part = (make) => parts.push(...tryOr(make, (e) => (noted(e), [])));
  if (stages) {
    const worst = fullest(stages);
    say(t(worst.fits === false ? "over" : "fits", gib(worst.device), gib(worst.capacity)));
    parts.push(verdict($("status").textContent, worst.fits !== false), make("pre", { class: "plan" }, text),
      summary(stages, step));
    if (worst.fits === false) part(() => remediesPart(dtcore, dtcore.memory_remedies(model, cluster, plan)));
    part(() => memoryPart(stages));
  } else {
    say(lineOf(findings[0] ?? problems[0] ?? ""));
    parts.push(verdict($("status").textContent, false), make("pre", { class: "plan" }, text));
  }
  if (step) part(() => timePart(step));
  if (resolved) part(() => groupsPart(dtcore, model, cluster, plan, app.chosen.groups, (id) => choose("groups", id)));
  if (resolved) part(() => timelinePart(dtcore, model, cluster, plan, resolved));
  const launch = resolved ? tryOr(() => launchPart(dtcore, model, cluster, resolved, app.chosen.target,
    (id) => choose("target", id)), (e) => (noted(e), [])) : [];
  findings.push(...problems);
  app.shown = { model: name || "config.json", cluster: $("cluster").value, gpus: Number($("gpus").value), plan: text,
    memory: stages, step, findings };
  show([...before, ...parts, ...findingsPart(findings), ...launch]);
}

function showSize({ name, size }, cluster) {
  const { dtcore } = app;
  const states = dtcore.memory_states(size, {});
  const room = Number(cluster.usable || cluster.memory || 0);
  const sizeOf = (one) => Number(dtcore.model_params(dtcore.model_find(one)).total);
  const near = dtcore.model_names().filter((one) => Math.abs(sizeOf(one) / size - 1) < 0.15);
  const text = t("sizeOnly", name, gib(states.total), room ? Math.ceil(Number(states.total) / room) : "?",
    $("cluster").value);
  app.shown = { model: name, plan: "", states };
  say(text);
  show([make("p", {}, text), make("p", { class: "buttons" }, ...near.map((one) => {
    const button = make("button", { type: "button" }, one);
    button.addEventListener("click", () => {
      $("model").value = one;
      answer();
    });
    return button;
  }))]);
}

function plansTable(of, cluster, plans, data) {
  const rows = plans.map((one, i) => {
    const button = make("button", { type: "button", "aria-label": `${t("use")} ${i + 1}`,
      "aria-pressed": String(i === Number(app.chosen.pick)) }, t("use"));
    const text = tryOr(() => app.dtcore.plan_format(one.plan, of.name || null), () => "");
    button.addEventListener("click", () => {
      choose("pick", i);
      showPlans(of, cluster, data);
    });
    return [one.seconds.toFixed(3), gib(one.device), make("code", {}, text), button];
  });
  const timing = t("timing", data.counts.tried.toLocaleString("en"), (data.milliseconds / 1000).toFixed(2));
  return [heading("plans"), make("p", { class: "note", id: "timing" }, timing),
    table([t("seconds"), t("device"), t("planColumn"), ""], rows, [0, 1], t("plans"))];
}

// ---- the search -----------------------------------------------------------------------------------------------------

function stopSearch() {
  app.worker?.terminate();
  app.worker = null;
  $("cancel").hidden = $("work").hidden = true;
  $("go").disabled = false;
}

function search(of, cluster, plan) {
  const source = URL.createObjectURL(new Blob([$("program").textContent], { type: "text/javascript" }));
  const worker = new Worker(source);
  URL.revokeObjectURL(source);
  app.worker = worker;
  $("cancel").hidden = $("work").hidden = false;
  $("go").disabled = true;
  $("answer").hidden = true;
  worker.onerror = (e) => {
    stopSearch();
    say(e.message);
  };
  let told = 0;
  worker.onmessage = ({ data }) => {
    if (data.error || data.plans) {
      stopSearch();
      if (data.error) return say(data.error[lang() === "zh" ? "zh" : "text"]);
      return searchEnded(of, cluster, data);
    }
    if (data.size) $("progress").value = data.done / data.size;
    else $("progress").removeAttribute("value");
    if (performance.now() - told < 1000) return undefined; // not more than can be heard
    told = performance.now();
    return say(data.kind ? t("changing", t("kinds")[data.kind], data.done) : t("searching", data.done, data.size));
  };
  const space = { objective: $("objective").value, keep: KEEP, reserve: RESERVE };
  worker.postMessage({ wasm: app.wasm, model: of.model, cluster, plan, space });
}

function searchEnded(of, cluster, data) {
  if (!(Number(app.chosen.pick) < data.plans.length)) app.chosen.pick = "0";
  if (data.plans.length) showPlans(of, cluster, data);
  else showNone(of, cluster, data);
  app.shown.counts = data.counts;
  writeLink();
  const found = data.plans.length ? `${t("found", data.plans.length)} ` : "";
  say((data.stopped ? `${t("cancelled")} ` : "") + found + $("status").textContent);
  $("answer").focus();
}

function showPlans(of, cluster, data) {
  judged(of, cluster, data.plans[Number(app.chosen.pick)].plan, plansTable(of, cluster, data.plans, data));
  $("answer").focus();
}

// What the smallest change of a kind comes to, in words.
function changeText({ kind, cluster, plan }) {
  if (kind === "seq") return `${t("kinds").seq}: ${t("changeTo").seq(plan.seq)}`;
  if (kind === "gpus") return `${t("kinds").gpus}: ${t("changeTo").gpus(cluster.nodes * cluster.gpus_per_node)}`;
  return t("kinds")[kind];
}

function changesTable(of, changes) {
  const formatted = (plan) => tryOr(() => app.dtcore.plan_format(plan, of.name || null), () => "");
  const rows = changes.map((one) => (one.fits
    ? [changeText(one), gib(one.device), one.seconds.toFixed(3), make("code", {}, formatted(one.plan))]
    : [t("kinds")[one.kind], "", "", t("noChange", one.tried)]));
  return [heading("changes"), table([t("change"), t("device"), t("seconds"), t("planColumn")], rows, [1, 2],
    t("changes"))];
}

function showNone(of, cluster, data) {
  const text = t("none", t(data.limit) ?? data.limit);
  const before = [make("p", { class: "verdict bad" }, text),
    ...(data.changes.length ? changesTable(of, data.changes) : [])];
  if (data.leastPlan) judged(of, cluster, data.leastPlan, [...before, heading("leastPlan")]);
  else show(before);
  app.shown = { model: of.name || "config.json", plan: "", limit: data.limit,
    ...(data.leastPlan ? { least: app.shown } : {}), changes: data.changes };
  say(text);
}

const planOf = (text) => app.dtcore.plan_parse(text)[0];

// Runs what visitors ask; what they got wrong is said, what went wrong is thrown.
function guarded(body, refused) {
  try {
    body();
  } catch (e) {
    if (!e.at && !(e instanceof DtcoreError)) throw e;
    refused(e);
  }
}

function answer() {
  stopSearch();
  clearWrong();
  guarded(() => {
    writeLink(true);
    const of = readModel();
    const cluster = readCluster();
    if (of.size) return showSize(of, cluster);
    if (mode() === "plan") {
      judged(of, cluster, planOf($("plan").value));
      return $("answer").focus();
    }
    const plan = { global_batch: whole("batch", t("needBatch")), seq: whole("seq", t("badNumber", t("seq")), 0) };
    return search(of, cluster, $("framework").value ? { ...plan, framework: $("framework").value } : plan);
  }, (e) => {
    say(lineOf(e));
    $("answer").hidden = true;
    if (e.at) $(e.at).focus();
  });
}

// ---- the message ----------------------------------------------------------------------------------------------------

function explain() {
  clearWrong();
  writeLink();
  const { dtcore } = app;
  guarded(() => {
    const alloc = dtcore.explain_read($("message").value);
    const of = readModel();
    if (of.size) alloc.params = of.size;
    const framework = $("framework").value;
    const plan = mode() === "plan" ? planOf($("plan").value) : framework ? { framework } : {};
    const found = dtcore.explain_alloc(of.model ?? null, readCluster(), plan, alloc);
    const rows = found.map((one) => [dtcore.explain_text(one.suspect, lang()), gib(one.bytes),
      one.solved && one.solved !== "none" ? `${one.solved} = ${one.value}` : ""]);
    $("explained").replaceChildren(make("p", {}, `${t("size")}: ${gib(alloc.bytes)}`),
      ...(rows.length ? [heading("suspects"), table([t("suspect"), t("bytes"), t("solved")], rows, [1],
        t("suspects"))] : [make("p", {}, t("noSuspect"))]));
  }, (e) => $("explained").replaceChildren(make("p", { class: "error" }, lineOf(e))));
}

// ---- copies ---------------------------------------------------------------------------------------------------------

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("copied"));
  } catch {
    const area = make("textarea", { rows: "4", id: "copied", "aria-label": t("answer") });
    area.value = text;
    $("copied")?.remove();
    $("copies").append(area);
    area.select();
    say(t("cannotCopy"));
  }
}

const json = () => JSON.stringify(app.shown, (_, v) => (typeof v === "bigint" ? String(v) : v), 2);

function listen() {
  $("question").addEventListener("submit", (e) => {
    e.preventDefault();
    Object.assign(app.chosen, CHOSEN);
    answer();
  });
  $("question").addEventListener("change", () => {
    showMode();
    writeLink();
  });
  $("message").addEventListener("change", () => writeLink());
  $("lang").addEventListener("change", () => {
    showTexts();
    writeLink();
    if (answered()) answer();
    if ($("explained").childElementCount) explain();
  });
  $("cancel").addEventListener("click", () => app.worker?.postMessage({ stop: true }));
  $("explain").addEventListener("click", explain);
  $("copy-text").addEventListener("click", () => copy(asText($("result"))));
  $("copy-json").addEventListener("click", () => copy(json()));
  $("copy-plan").addEventListener("click", () => copy(app.shown?.plan ?? ""));
  $("copy-link").addEventListener("click", () => (writeLink(true) ? copy(location.href) : say(t("largeLink"))));
  window.addEventListener("hashchange", begin);
}

function begin() {
  const asked = readLink();
  showTexts();
  showMode();
  say(t("ready"));
  if (asked) answer();
  if ($("message").value) explain();
}

async function pageMain() {
  app.wasm = Uint8Array.from(atob($("wasm").textContent.trim()), (c) => c.charCodeAt(0));
  app.dtcore = await load(app.wasm);
  fillLists();
  listen();
  begin();
  document.documentElement.dataset.ready = performance.now().toFixed(0); // milliseconds until the page can be used
}

if (typeof document === "undefined") workerMain();
else pageMain();
