// What JavaScript adds to the library: kinds of values, refusals, instances. usage: test.mjs FOLDER
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { dtcore, folder, module } from "./check.mjs";

const { DtcoreError, load } = module;
const model = dtcore.model_find("llama-3-8b");
const cluster = dtcore.cluster_find("dgx-h100");
let passed = 0;

function test(name, body) {
  try {
    body();
    passed++;
  } catch (raised) {
    console.log(`FAILED: ${name}: ${raised.stack}`);
    process.exitCode = 1;
  }
}

function refused(body, values) {
  try {
    body();
  } catch (raised) {
    assert(raised instanceof DtcoreError, raised.stack);
    for (const [key, v] of Object.entries(values)) assert.deepEqual(raised[key], v, `${key} of ${raised}`);
    return raised;
  }
  throw new assert.AssertionError({ message: "nothing was raised" });
}

test("the file is small", () => assert(statSync(`${folder}/dtcore.wasm`).size <= 400 * 1024));
test("it needs nothing from its host", () => {
  const wasm = new WebAssembly.Module(readFileSync(`${folder}/dtcore.wasm`));
  assert.deepEqual(WebAssembly.Module.imports(wasm), []);
});
test("parameters of Llama 3 8B, as published", () => assert.equal(dtcore.model_params(model).total, 8030261248));
test("integers up to 2^53 are Numbers, larger ones BigInt", () => {
  assert.equal(typeof dtcore.model_params(model).total, "number");
  const got = (bucket) => refused(() => dtcore.plan_resolve(model, null, { bucket }), { code: "range", field: "bucket" }).got;
  assert.equal(got(2n ** 53n + 1n), 2n ** 53n + 1n);
  assert.equal(got(2n ** 53n), 2 ** 53);
});
test("integers may be given as BigInt", () => assert.equal(dtcore.memory(model, cluster, { tp: 8n }).stage, 0));
test("no half integers", () => refused(() => dtcore.memory(model, cluster, { tp: 1.5 }), { code: "range", field: "tp", got: 1.5 }));
test("no negative ones", () => refused(() => dtcore.memory(model, cluster, { tp: -1 }), { code: "range", field: "tp" }));
test("no Number above 2^53", () => refused(() => dtcore.memory(model, cluster, { bucket: 2 ** 54 }), { code: "range" }));
test("no text for a number", () => refused(() => dtcore.memory(model, cluster, { tp: "8" }), { code: "type", field: "tp" }));
test("unknown fields", () => {
  const e = refused(() => dtcore.memory(model, cluster, { tq: 8 }), { code: "unknown", field: "plan" });
  assert.match(e.message, /unknown name "tq"; the nearest is "tp"/);
  assert.match(e.zh, /未知的名称/);
});
test("names that every object has", () => {
  refused(() => dtcore.memory(model, cluster, { constructor: 1 }), { code: "unknown" });
  refused(() => dtcore.memory(model, cluster, { sharding: "constructor" }), { code: "unknown", field: "sharding" });
  refused(() => dtcore.memory(model, cluster, JSON.parse('{"__proto__": 1}')), { code: "unknown" });
});
test("unknown words", () => refused(() => dtcore.memory(model, cluster, { sharding: "zero4" }), { code: "unknown", field: "sharding", got: "zero4" }));
test("missing arguments", () => refused(() => dtcore.memory(), { code: "type", field: "model" }));
test("too many", () => refused(() => dtcore.plan_parse("", 1), { code: "type" }));
test("a misspelt variable is no plan", () => refused(() => dtcore.memory(model, cluster, null), { code: "type", field: "plan" }));
test("a plan may be left out", () => assert.equal(dtcore.memory(model, cluster).fits, dtcore.memory(model, cluster, {}).fits));
test("a name that there is not", () => {
  const e = refused(() => dtcore.model_find("lama-3-8b"), { code: "unknown", rule: "model_name", field: "name" });
  assert.equal(e.message, "unknown model 'lama-3-8b'; the nearest name is llama-3-8b");
});
test("the word of a plan that is wrong", () => {
  const e = refused(() => dtcore.plan_parse("dtcore: tp=8 模型=3"), { code: "unknown", rule: "plan_word" });
  assert.match(e.message, /'模型=3'/);
});
test("a plan that is not legal, with the nearest degrees", () => {
  const found = dtcore.plan_check(model, cluster, { framework: "megatron", tp: 3, dp: 1, seq: 4096 });
  assert(found.some((e) => e instanceof DtcoreError && e.code === "divide" && e.field === "tp"), found.join("\n"));
});
test("plans go round", () => {
  const [plan, named] = dtcore.plan_parse("dtcore: model=llama-3-8b megatron tp=2 pp=2 dp=2 mbs=1 gbs=8 seq=4096");
  assert.deepEqual(named, model);
  assert.deepEqual(dtcore.plan_parse(dtcore.plan_format(plan))[0], plan);
  assert.equal(dtcore.plan_parse("dtcore: tp=2")[1], null);
});
test("errors become JSON", () => {
  const e = refused(() => dtcore.model_find("x"), {});
  assert.equal(JSON.parse(JSON.stringify(e)).rule, "model_name");
});
test("names", () => {
  assert(dtcore.model_names().includes("llama-3.1-405b"));
  assert(dtcore.cluster_names().includes("dgx-h100"));
  assert.equal(dtcore.value_name(dtcore.field_id("plan", "sharding"), 4), "zero3");
});
test("hostile texts", () => {
  for (const text of ["", "[", "{".repeat(100000), '{"model_type": "llama", "hidden_size": 1e999}', "\0", "\ud800", "null"])
    refused(() => dtcore.model_from_hf(text), {});
});
test("large texts", () => refused(() => dtcore.model_from_hf(`{"a": "${"x".repeat(5e6)}"}`), {}));

const other = await load(new WebAssembly.Module(readFileSync(`${folder}/dtcore.wasm`)));
test("a second instance, from a module", () => assert.deepEqual(other.model_params(model), dtcore.model_params(model)));

console.log(`${passed} passed, ${process.exitCode ? "some" : 0} failed`);
