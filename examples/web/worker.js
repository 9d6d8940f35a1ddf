// The worker that searches: in pieces, so that a cancel is heard soon; and for the smallest change when nothing fits.
import { load, DtcoreError } from "./dtcore.js";

const PIECE_MS = 60;
const CHANGES_MOST = 2 ** 22; // plans that are tried for each kind of change
const COUNTS = ["tried", "same", "illegal", "unknown", "over", "fit"];

let stopped = false;

/**
 * Searches one space: {found, counts, size, done, limit, least, leastIndex}.
 * @param {import("./dtcore.js").Dtcore} dtcore
 */
async function searched(dtcore, { model, cluster, plan, space }, most, told) {
  const size = Number(dtcore.search_size(model, cluster, plan, space));
  const out = { found: [], counts: Object.fromEntries(COUNTS.map((key) => [key, 0])), size, done: 0, limit: "none",
    least: 0, leastIndex: 0 };
  let piece = 1024;
  while (out.done < Math.min(size, most) && !stopped) {
    const number = Math.min(piece, size - out.done);
    const start = performance.now();
    const [best, sum] = dtcore.search(model, cluster, plan, out.done, number, space);
    out.found = dtcore.search_merge(out.found, best, space.keep);
    for (const key of COUNTS) out.counts[key] += Number(sum[key]);
    if (sum.least && (!out.least || sum.least < out.least))
      Object.assign(out, { least: sum.least, leastIndex: sum.least_index, limit: sum.limit });
    out.done += number;
    const spent = performance.now() - start;
    piece = Math.max(64, Math.min(2 * piece, Math.round((piece * PIECE_MS) / Math.max(spent, 1))));
    told(out.done, size);
    await new Promise((next) => setTimeout(next, 0));
  }
  return out;
}

/**
 * Steps that a kind of change has: the refusal of too large a one says so.
 * @param {import("./dtcore.js").Dtcore} dtcore
 */
function stepsOf(dtcore, { model, cluster, plan, space }, kind) {
  try {
    dtcore.search_change(model, cluster, plan, kind, 2n ** 64n - 1n, space);
  } catch (e) {
    if (e instanceof DtcoreError && e.code === "range") return Number(e.max);
  }
  return 0;
}

/**
 * The first step of a kind whose space has a plan that fits: {kind, fits, cluster, plan, device, seconds}.
 * @param {import("./dtcore.js").Dtcore} dtcore
 */
async function changed(dtcore, question, kind, told) {
  const { model, cluster, plan, space } = question;
  const steps = stepsOf(dtcore, question, kind);
  let tried = 0;
  for (let step = 1; step <= steps && tried < CHANGES_MOST && !stopped; step++) {
    const [nextCluster, nextPlan, nextSpace] = dtcore.search_change(model, cluster, plan, kind, step, space);
    const next = { model, cluster: nextCluster, plan: nextPlan, space: { ...nextSpace, keep: 1 } };
    const one = await searched(dtcore, next, CHANGES_MOST - tried, (done) => told(tried + done));
    tried += one.done;
    const [best] = one.found;
    if (best)
      return { kind, fits: true, tried, cluster: nextCluster, device: best.device, seconds: best.seconds,
        plan: dtcore.search_plan(model, nextCluster, nextPlan, best.index, next.space) };
  }
  return steps ? { kind, fits: false, tried } : null;
}

async function run({ wasm, model, cluster, plan, space }) {
  const dtcore = await load(wasm);
  const question = { model, cluster, plan, space };
  const start = performance.now();
  const out = await searched(dtcore, question, Infinity, (done, size) => postMessage({ done, size }));
  const milliseconds = performance.now() - start;
  const planAt = (index) => dtcore.search_plan(model, cluster, plan, index, space);
  const changes = [];
  if (!out.found.length && !stopped)
    for (const kind of Object.keys(dtcore.enums.search_kind).filter((word) => word !== "none")) {
      const one = await changed(dtcore, question, kind, (done) => postMessage({ kind, done }));
      if (one) changes.push(one);
    }
  postMessage({ ...out, milliseconds, changes, stopped, plans: out.found.map((one) => ({ ...one,
    plan: planAt(one.index) })),
    leastPlan: out.least ? planAt(out.leastIndex) : null });
}

export function workerMain() {
  onmessage = ({ data }) => {
    if (data.stop) stopped = true;
    else run(data).catch((e) => postMessage({ error: { text: e.text ?? String(e), zh: e.zh ?? String(e) } }));
  };
}
