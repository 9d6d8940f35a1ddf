// The parts of an answer: each makes elements from what the library says of one plan.
import { DtcoreError } from "./dtcore.js";
import { bar, COLOURS, key, make, nodesPicture, OPS, table, tiles, timelinePicture } from "./draw.js";
import { lang, t, TEXTS } from "./text.js";

const ITEMS = ["weights", "gradients", "optimizer", "buckets", "gathered", "activations", "transient", "workspace",
  "cache"];
const NODES_MOST = 24; // drawn
const MEMBERS_MOST = 12; // listed
const OPS_MOST = 40000; // drawn

export const gib = (bytes) => `${(Number(bytes) / 2 ** 30).toFixed(2)} GiB`;
export const lineOf = (e) => (e instanceof DtcoreError ? e.line(lang()) : String(e.message ?? e));
export const heading = (name) => make("h3", {}, t(name));
const many = (n) => Number(n).toLocaleString("en");

// What the library refuses is part of an answer; what else is thrown is a mistake.
export function tryOr(body, otherwise) {
  try {
    return body();
  } catch (e) {
    if (!(e instanceof DtcoreError)) throw e;
    return otherwise(e);
  }
}

export const fullest = (stages) => stages.reduce((a, m) => (m.device > a.device ? m : a));

// ---- memory and time ------------------------------------------------------------------------------------------------

export function summary(stages, step) {
  const worst = stages && fullest(stages);
  const pairs = [];
  if (worst) pairs.push([t("fullest"), t("of", gib(worst.device), gib(worst.capacity))]);
  if (step) pairs.push([t("stepTime"), t("stepRange", step.seconds.toFixed(2), step.low.toFixed(2),
    step.high.toFixed(2))],
    [t("tokens"), many(step.tokens_per_gpu_second.toFixed(0))], [t("mfu"), `${(100 * step.mfu).toFixed(1)} %`]);
  return tiles(pairs);
}

export function memoryPart(stages) {
  const most = Math.max(...stages.map((m) => Math.max(Number(m.capacity), Number(m.device))));
  const rows = stages.map((m) => {
    const values = ITEMS.map((item) => (item === "cache" ? Number(m.device) - Number(m.allocated) : Number(m[item])));
    const label = ITEMS.map((item, i) => `${t(item)} ${gib(values[i])}`).filter((_, i) => values[i] > 0).join(", ");
    return [String(m.stage), gib(m.device), bar(values.map((v, i) => [COLOURS[i], v]), most, label,
      Number(m.capacity))];
  });
  return [heading("perStage"), table([t("stage"), t("needed"), t("items")], rows, [0, 1], t("perStage")),
    key(ITEMS.map((item, i) => [COLOURS[i], t(item)])),
    ...(most > Number(stages[0].capacity) ? [make("p", {}, t("capacity", gib(stages[0].capacity)))] : [])];
}

export function timePart(step) {
  const names = Object.keys(TEXTS.en.steps).filter((name) => step[name] > 0);
  const most = Math.max(...names.map((name) => step[name]));
  const rows = names.map((name) => {
    const share = `${((100 * step[name]) / step.seconds).toFixed(1)} %`;
    return [t("steps")[name], step[name].toFixed(4), share, bar([[COLOURS[0], step[name]]], most,
      `${t("steps")[name]} ${share}`)];
  });
  return [heading("perItem"), table([t("item"), t("seconds"), t("share"), ""], rows, [1, 2], t("perItem")),
    make("p", { class: "note" }, t("estimate"))];
}

export function findingsPart(findings) {
  if (!findings.length) return [heading("findings"), make("p", {}, t("noFindings"))];
  const one = (e) => make("li", { class: e.severity === "error" ? "bad" : "" },
    `${t(e.severity) ?? e.severity}: ${lineOf(e)}`);
  return [heading("findings"), make("ul", {}, ...findings.map(one))];
}

export function remediesPart(dtcore, remedies) {
  if (!remedies.length) return [];
  const word = (r) => dtcore.value_name(r.field, r.value);
  const rows = remedies.map((r) => [`${dtcore.field_name(r.field)} = ${word(r) === "?" ? r.value : word(r)}`,
    gib(r.saved), r.fits ? t("yes") : t("no")]);
  return [heading("remedies"), table([t("change"), t("saves"), ""], rows, [1], t("remedies"))];
}

// ---- groups ---------------------------------------------------------------------------------------------------------

// The kinds of groups of more than one rank; those of the same ranks once, with all their names.
function kindsOf(dtcore, model, layout) {
  const meshes = { dense: dtcore.layout_mesh(layout, "dense"), experts: dtcore.layout_mesh(layout, "experts") };
  const found = new Map();
  for (const kind of dtcore.layout_kinds(layout)) {
    const axes = meshes[kind.part];
    const words = axes.filter((axis, i) => (kind.axes >> i) & 1 && axis.size > 1).map((axis) => axis.name);
    const { size, count } = dtcore.mesh_group_of(axes, layout.offset, kind, layout.offset);
    if (size < 2 || (kind.part === "experts" && !model.experts)) continue;
    const id = [kind.part === "experts" ? "expert " : "", words.join("-"), ["", ":first", ":ends"][kind.pick],
      kind.chunk || kind.step ? ` ${kind.chunk}/${kind.step}` : ""].join("");
    const name = dtcore.group_kind_text(kind).toLowerCase();
    if (found.has(id)) found.get(id).names.push(name);
    else found.set(id, { id, kind, axes, size, count, names: [name] });
  }
  return [...found.values()].sort((a, b) => a.id.length - b.id.length);
}

function lieText(p) {
  if (!p || p.spread === "none") return t("unknownLie");
  if (p.spread === "inside") return t("inside");
  return p.spread === "spans" ? t("spans", p.domains, p.members) : t("cut", Number(p.groups) - Number(p.inside));
}

function mapOf(dtcore, layout, one, per) {
  const all = Math.ceil(layout.world / per);
  const nodes = Math.min(all, NODES_MOST);
  const group = (rank) => {
    if (rank >= layout.world) return null;
    const { index } = dtcore.mesh_group_of(one.axes, layout.offset, one.kind, rank);
    return index === dtcore.NONE ? null : index;
  };
  const groups = Array.from({ length: nodes * per }, (_, rank) => group(rank));
  const members = Array.from({ length: Math.min(one.size, MEMBERS_MOST) },
    (_, i) => dtcore.mesh_member(one.axes, layout.offset, one.kind, 0, i));
  const note = t("mapNote", nodes, all, members.join(" ") + (one.size > MEMBERS_MOST ? " …" : ""));
  return [make("p", { class: "note" }, note), nodesPicture(`${t("groups")}: ${one.id}. ${note}`,
    { nodes, per, groupOf: (rank) => groups[rank], chosen: (rank) => groups[rank] === 0,
      nodeName: (n) => t("node", n) })];
}

export function groupsPart(dtcore, model, cluster, plan, chosen, choose) {
  const layout = dtcore.layout_from_plan(model, cluster, plan);
  const per = Number(cluster.gpus_per_node || 8);
  const domain = Number(cluster.nvlink_domain || per);
  const kinds = kindsOf(dtcore, model, layout);
  if (!kinds.length) return [heading("groups"), make("p", {}, t("noGroups"))];
  const lie = (one, size) => tryOr(() => dtcore.mesh_placement(one.axes, layout.offset, one.kind, size), () => null);
  for (const one of kinds) one.node = lie(one, per);
  const crossing = kinds.filter((one) => one.node && one.node.spread !== "inside").map((one) => one.id);
  const heads = [t("group"), t("groupCount"), t("each"), t("onNodes")];
  const rows = kinds.map((one) => [make("span", { title: one.names.join(", ") }, one.id), many(one.count),
    many(one.size), lieText(one.node)]);
  if (domain !== per) {
    heads.push(t("onDomains"));
    kinds.forEach((one, i) => rows[i].push(lieText(lie(one, domain))));
  }
  const select = make("select", { id: "groups" }, ...kinds.map((one) => make("option", { value: one.id },
    `${one.id}: ${one.names[0]}`)));
  select.value = kinds.some((one) => one.id === chosen) ? chosen : kinds[0].id;
  const map = make("div");
  const draw = () => map.replaceChildren(...mapOf(dtcore, layout, kinds.find((one) => one.id === select.value), per));
  select.addEventListener("change", () => {
    draw();
    choose(select.value);
  });
  draw();
  return [heading("groups"), make("p", {}, crossing.length ? t("crosses", crossing.join(", ")) : t("crossesNone")),
    table(heads, rows, [1, 2], t("groups")),
    make("p", { class: "field" }, make("label", { for: "groups" }, t("groupsDrawn")), " ", select), map];
}

// ---- pipeline -------------------------------------------------------------------------------------------------------

// Generated orders follow from the ratios of the times; their authors take 1000 for an op.
function planned(job, costs, hop) {
  const sum = (name) => costs.reduce((a, cost) => a + cost[name], 0);
  const forward = sum("forward");
  return { ...job, forward: 1000, input: (sum("input") / forward) * 1000, weight: (sum("weight") / forward) * 1000,
    hop: ((hop * costs.length) / forward) * 1000 };
}

function linesOf(job, ops, times) {
  const rows = ops.length / job.pp;
  const several = job.vpp > 1;
  return Array.from({ length: job.pp }, (_, rank) => Array.from({ length: rows }, (_, i) => rank * rows + i)
    .filter((i) => ops[i].kind !== "none")
    .map((i) => ({ ...times[i], kind: ops[i].kind, chunk: ops[i].chunk,
      name: several ? `${ops[i].micro_batch}.${ops[i].chunk}` : String(ops[i].micro_batch) })));
}

export function timelinePart(dtcore, model, cluster, plan, resolved) {
  if (resolved.pp === 1) return [heading("timeline"), make("p", {}, t("noPipeline"))];
  const costs = dtcore.step_costs(model, cluster, plan);
  const hop = tryOr(() => dtcore.step_terms(model, cluster, plan),
    () => []).find((term) => term.item === "pp")?.each ?? 0;
  const job = planned(dtcore.pipe_from_plan(resolved), costs, hop);
  const count = Number(dtcore.pipe_count(job)) * job.pp;
  if (count > OPS_MOST) return [heading("timeline"), make("p", {}, t("timelineLarge", many(count)))];
  const ops = dtcore.pipe_order(job);
  const sends = job.framework === "megatron" && job.schedule === "1f1b" ? "blocking" : "async";
  const times = dtcore.pipe_simulate(job, ops, costs, 0, hop, sends);
  const sum = dtcore.pipe_sum(dtcore.pipe_ranks(job, ops, costs, times));
  const note = t("timelineNote", sum.makespan.toFixed(3), (100 * sum.idle).toFixed(1), job.micro_batches);
  const kinds = Object.keys(OPS).filter((kind) => ops.some((op) => op.kind === kind));
  return [heading("timeline"), make("p", {}, note),
    timelinePicture(`${t("timeline")}: ${note}`, linesOf(job, ops, times), sum.makespan,
      `${sum.makespan.toFixed(3)} s`),
    key(kinds.map((kind) => [OPS[kind], t("ops")[kind]]))];
}

// ---- launch ---------------------------------------------------------------------------------------------------------

export function launchPart(dtcore, model, cluster, plan, chosen, choose) {
  const select = make("select", { id: "target" });
  const text = make("pre", { id: "launch", tabindex: "0", role: "group", "aria-label": t("launch") });
  const write = () => {
    text.textContent = tryOr(() => dtcore.launch_write(model, cluster, plan, { target: Number(select.value) }, "", ""),
      lineOf);
  };
  for (const target of dtcore.launch_targets(plan, {})) {
    const word = Object.entries(dtcore.enums.launch_target).find(([, v]) => v === target)[0];
    select.append(make("option", { value: target }, word));
  }
  if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
  select.addEventListener("change", () => {
    write();
    choose(select.value);
  });
  write();
  return [heading("launch"), make("p", { class: "field" }, make("label", { for: "target" }, t("target")), " ", select),
    text];
}

