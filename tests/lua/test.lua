-- The Lua module by hand-made cases: shapes of values, errors, hostile inputs. usage: test.lua MODULE_FILE
-- That every function says what C says is the business of round_trip.
package.path = arg[0]:match("^(.*/)") .. "?.lua"
package.cpath = arg[1]
local before = {}
for k in pairs(_G) do before[k] = true end
local dtcore, check = require "dtcore", require "check"
local unpack = unpack or table.unpack

local tests, passed, failed = {}, 0, 0

local function test(name, f)
  tests[#tests + 1] = {name, f}
end

local function same(got, want)
  local found = check.difference(got, want)
  if found then error(found, 2) end
end

-- The error that a call raises.
local function caught(f, ...)
  local ok, err = pcall(f, ...)
  if ok then error("succeeded, but should not", 2) end
  if type(err) ~= "table" then error("raised no table: " .. tostring(err), 2) end
  if type(err.text) ~= "string" or type(err.zh) ~= "string" or type(err.code) ~= "string" then
    error("raised an incomplete table: " .. check.shown(err), 2)
  end
  return err
end

-- Holds the named fields of an error against those wanted.
local function says(err, want)
  for k, v in pairs(want) do
    local found = check.difference(err[k], v, k)
    if found then error(found .. "; " .. err.text, 2) end
  end
end

local model, cluster = dtcore.model_find("llama-2-70b"), dtcore.gpu_find("h100-80gb")
local inputs = { -- a function that takes each input struct
  model = dtcore.model_resolve,
  cluster = dtcore.cluster_resolve,
  plan = function(plan) return dtcore.plan_resolve(model, nil, plan) end,
  stage = function(stage) return dtcore.memory(model, nil, {}, {stage}) end,
}

-- ---- the module ----------------------------------------------------------------------------------------------------

test("a plain table, and no globals", function()
  same(getmetatable(dtcore), nil)
  same(package.loaded.dtcore, dtcore)
  for k in pairs(_G) do assert(before[k], k) end
end)

test("names", function()
  same(#dtcore.model_names(), dtcore.model_count())
  same(dtcore.model_names()[1], dtcore.model_name(0))
  same(dtcore.gpu_names()[dtcore.gpu_count()], dtcore.gpu_name(dtcore.gpu_count() - 1))
  same(#dtcore.cluster_names(), dtcore.cluster_count())
  same(dtcore.params, dtcore.model_params)
  same(dtcore.memory_estimate, nil)
  same(dtcore.field_name(dtcore.field_id("plan", "tp")), "tp")
end)

test("enums and fields are those of the library", function()
  for struct, fields in pairs(dtcore.fields) do
    for _, field in ipairs(fields) do same(dtcore.field_name(dtcore.field_id(struct, field)), field) end
  end
  local rows = {{"plan", "sharding"}, {"plan", "grad_dtype"}, {"model", "arch"}, {"ledger_row", "op", "operator"}}
  for _, row in ipairs(rows) do
    local names = dtcore.enums[row[3] or row[2]]
    local count = 0
    for name, value in pairs(names) do
      if type(name) == "string" then
        same(dtcore.value_name(dtcore.field_id(row[1], row[2]), value), name)
        same(names[value], name)
        count = count + 1
      end
    end
    assert(count > 2)
  end
  same(dtcore.enums.status.range, dtcore.enums.status[dtcore.enums.status.range] == "range" and 3)
  same(dtcore.enums.rule.tp_heads, 100)
end)

test("what scripts change does not reach the module", function()
  local zero3 = dtcore.enums.sharding.zero3
  dtcore.enums.sharding.zero3 = "broken"
  same(dtcore.plan_resolve(model, nil, {sharding = "zero3"}).sharding, "zero3")
  dtcore.enums.sharding.zero3 = zero3
end)

-- ---- tables in, tables out -----------------------------------------------------------------------------------------

test("memory of a plan", function()
  local memory = dtcore.memory(model, cluster, {tp = 8, pp = 4, dp = 4, sequence_parallel = true})
  same(memory.fits, true)
  same(memory.capacity, cluster.usable)
  same(memory.stage < 4 and dtcore.enums.moment[memory.moment] ~= nil, true)
  same(dtcore.memory(model, nil, {tp = 8}).fits, nil)
  same(dtcore.memory(model), dtcore.memory(model, nil, {}, nil))
end)

test("what is exact is a set of items", function()
  local exact = dtcore.memory(model, nil, {tp = 8}).exact
  same({exact.weights, exact.gradients, exact.activations}, {true, true, nil})
  for item, set in pairs(exact) do assert(dtcore.enums.memory_item[item] and set == true) end
end)

test("fewest GPUs: the answer, and its plan", function()
  same(select("#", dtcore.memory_min_gpus(model, cluster, {sharding = "distopt"})), 2)
  local fit, plan = dtcore.memory_min_gpus(model, cluster, {sharding = "distopt"})
  same(fit.limit, "none")
  same(fit.gpus, plan.tp * plan.pp * plan.dp)
  same(dtcore.memory(model, cluster, plan).device, fit.device)
  fit, plan = dtcore.memory_min_gpus(model, cluster, {sharding = "ddp"})
  same({fit.gpus, plan.sharding}, {0, "ddp"})
  assert(fit.limit ~= "none" and fit.limit_bytes > 0)
end)

test("a model by its fields", function()
  local params = dtcore.params {layers = 2, hidden = 64, heads = 4, vocab = 100, position = "rope", tied = true}
  same(params.dense_count, 2)
  same(params.head, 0)
end)

test("enums by name or number, switches by boolean", function()
  local by_name = dtcore.plan_resolve(model, nil, {sharding = "zero2", framework = "deepspeed", dropout = false})
  same(by_name.sharding, "zero2")
  same(by_name.framework, "deepspeed")
  same(by_name.dropout, false)
  same(dtcore.plan_resolve(model, nil, {sharding = 3, framework = 2}), by_name)
  same(dtcore.plan_resolve(model, nil, {sharding = "default"}), dtcore.plan_resolve(model, nil, {}))
  says(caught(inputs.plan, {sharding = 99}), {code = "range", field = "sharding", got = 99})
end)

test("results go in again", function()
  local plan = dtcore.plan_resolve(model, cluster, {tp = 8, pp = 4, dp = 2})
  same(dtcore.plan_resolve(model, cluster, plan), plan)
  same(dtcore.model_resolve(model), model)
  same(dtcore.cluster_resolve(cluster), cluster)
  local stages = {}
  for i = 1, plan.pp do stages[i] = dtcore.plan_stage(model, plan, i - 1) end
  same(dtcore.memory(model, cluster, plan, stages), dtcore.memory(model, cluster, plan))
end)

test("the verdict on a plan is what the functions behind it say", function()
  local text = "x; dtcore: model=llama-2-70b megatron tp=8 pp=4 sp recompute=full; y"
  local plan = dtcore.plan_resolve(model, cluster, (dtcore.plan_parse(text)))
  local memory = dtcore.memory(model, cluster, plan)
  local want = {tp = 8, cp = 1, pp = 4, dp = plan.dp, device = memory.device, capacity = memory.capacity, stage = memory.stage,
                fits = true, largest = memory.largest}
  same(dtcore.plan_verdict(text, cluster), want)
  same(dtcore.plan_verdict((text:gsub("llama%-2%-70b", "gpt2")), cluster, "llama-2-70b"), want)
  same(dtcore.plan_verdict("tp=8 dp=2", cluster), {tp = 8, cp = 0, pp = 0, dp = 2}) -- no model: as the text says
  same(dtcore.plan_verdict("model=llama-2-70b megatron tp=2", cluster).fits, false)
  says(caught(dtcore.plan_verdict, "tp=x", cluster), {code = "parse", text = "byte 3: not a value for tp: 'x'"})
  says(caught(dtcore.plan_verdict, "model=llama-2-70b tp=7", cluster), {rule = "tp_heads", got = 7, upper = 8})
  says(caught(dtcore.plan_verdict, "tp=8", cluster, "lama"), {code = "unknown"})
  says(caught(dtcore.plan_verdict, 8, cluster), {code = "type", field = "text"})
  says(caught(dtcore.plan_verdict, "tp=8"), {code = "type", field = "cluster"})
  says(caught(dtcore.plan_verdict, "tp=8", cluster, 8), {code = "type", field = "model"})
  says(caught(dtcore.plan_verdict, "tp=8", cluster, "a", 1), {code = "type"})
end)

test("plan text: the plan, and the model or nil", function()
  local plan, named = dtcore.plan_parse("x; dtcore: model=llama-2-70b tp=8 sp; y")
  same({plan.tp, plan.sequence_parallel, named}, {8, true, model})
  same(select("#", dtcore.plan_parse("dtcore: tp=8")), 2)
  same(select(2, dtcore.plan_parse("dtcore: tp=8")), nil)
  same(dtcore.plan_format({tp = 8}), "dtcore: tp=8")
  same(dtcore.plan_format({tp = 8}, "mine"), "dtcore: model=mine tp=8")
  local long = ("n"):rep(5000)
  same(dtcore.plan_format({tp = 8}, long), "dtcore: model=" .. long .. " tp=8")
end)

test("arrays longer than the first guess", function()
  local rows = dtcore.memory_stages(model, cluster, {pp = 80})
  same(#rows, 80)
  for i, row in ipairs(rows) do same(row.stage, i - 1) end
end)

test("where tensors lie: slots go in again, scratch is nobody's business", function()
  local shards = {scheme = "fsdp2", world = 4}
  local shapes = {{rows = 10, cols = 4}, {rows = 7, cols = 1}}
  local slots = dtcore.shards_layout(shards, shapes)
  same({#slots, slots[2].start, slots[2].owner}, {2, 48, dtcore.EVENLY})
  same(dtcore.EVERYWHERE, dtcore.EVENLY - 1)
  same(dtcore.shards_totals(shards, shapes, slots).padded, 56)
  same(dtcore.shards_fragments(shards, shapes, slots, 3)[1],
    {tensor = 0, bucket = 0, tensor_offset = 36, shard_offset = 0, length = 4})
  same({dtcore.shards_owner(shards, shapes, slots, 0, 39)}, {3, 3})
  shapes = dtcore.shards_shapes(model) -- more than the first guess holds
  slots = dtcore.shards_layout(shards, shapes)
  same({#shapes, #slots}, {723, 723})
  same(dtcore.shards_totals(shards, shapes, slots).numel, dtcore.params(model).total)
  says(caught(dtcore.shards_totals, shards, shapes, {}), {field = "slots"})
end)

test("a pipeline: ops and times out and in", function()
  local pipe, cost = {schedule = "1f1b", pp = 2, micro_batches = 4}, {forward = 1, input = 1, weight = 1}
  local ops = dtcore.pipe_order(pipe)
  same({#ops, ops[1]}, {16, {micro_batch = 0, chunk = 0, kind = "forward", fused = 0}})
  same(dtcore.pipe_op_at(pipe, 1, 1), {micro_batch = 0, chunk = 0, kind = "backward", fused = 0})
  local times = dtcore.pipe_simulate(pipe, ops, {cost})
  same({#times, times[1].stop, times[16].stop}, {16, 1.0, 13.0})
  same(dtcore.pipe_simulate(pipe, ops, {cost}, 0, 0, "async"), times)
  local ranks = dtcore.pipe_ranks(pipe, ops, {cost}, times)
  local totals = dtcore.pipe_sum(ranks)
  same({#ranks, ranks[1].held_input, totals.makespan, totals.bubble}, {2, 2, 15.0, 3.0})
  times = dtcore.pipe_simulate(pipe, ops, {cost}, 0.5)
  assert(dtcore.pipe_sum(dtcore.pipe_ranks(pipe, ops, {cost}, times)).makespan > totals.makespan)
  local function simulate(...) return dtcore.pipe_simulate(pipe, ops, {cost}, ...) end
  says(caught(simulate, 0 / 0), {code = "range", field = "latency"})
  says(caught(simulate, 0, math.huge), {code = "range", field = "transfer"})
  says(caught(simulate, "soon"), {code = "type", field = "latency"})
  says(caught(simulate, nil), {code = "type", field = "latency"})
  says(caught(simulate, 0, 0, "never"), {code = "unknown", field = "sends"})
end)

test("numbers of one and two bytes", function()
  local function simulate(op) return dtcore.pipe_simulate({pp = 1, micro_batches = 1}, {op}, {{}}) end
  says(caught(simulate, {kind = 77}), {rule = "pipe_order"})
  says(caught(simulate, {kind = "forwards"}), {code = "unknown", field = "kind", nearest = "forward"})
  says(caught(simulate, {kind = 256}),
       {code = "range", field = "kind", text = "kind = 256: must be an integer in 0 to 255"})
  says(caught(simulate, {chunk = 65536}),
       {code = "range", field = "chunk", text = "chunk = 65536: must be an integer in 0 to 65535"})
  says(caught(simulate, {micro_batch = 2^32}), {code = "range", field = "micro_batch"})
  same(#dtcore.pipe_simulate({pp = 1, micro_batches = 1}, {{kind = 1}, {kind = "backward", chunk = 0}}, {{}}), 2)
end)

test("layers of stages, with a layout or without", function()
  same(dtcore.pipe_layers({layers = 8, pp = 2})[2].first, 4)
  same(dtcore.pipe_layers({layers = 8, pp = 2}, nil, nil), dtcore.pipe_layers({layers = 8, pp = 2}))
  same(dtcore.pipe_layers({splitter = "layout", layers = 8, pp = 2}, "Ettt|t*5L")[2].layers, 5)
  same(dtcore.pipe_layers({splitter = "colossalai", layers = 8, pp = 2}, nil, {3, 5})[1].layers, 3)
  local parts, gain = dtcore.pipe_balance({pp = 2, micro_batches = 4}, {{cost = 5}, {cost = 1}, {cost = 1}}, 0)
  same({#parts, parts[2].layers, gain.cost, gain.mean}, {2, 2, 5.0, 3.5})
end)

test("findings", function()
  local findings = dtcore.plan_check(model, cluster, {tp = 7, pp = 81})
  says(findings[1], {rule = "tp_heads", field = "tp", got = 7, other = "heads", other_got = 64, lower = 4, upper = 8})
  says(findings[1], {severity = "error", code = "divide", min = nil, offset = nil})
  same(tostring(findings[1]), findings[1].text)
  assert(#findings > 1 and dtcore.text(findings[2], "zh") == findings[2].zh)
  same(dtcore.plan_check(model, cluster, {tp = 8}), {})
end)

-- ---- errors --------------------------------------------------------------------------------------------------------

test("errors are tables that show as text", function()
  local err = caught(dtcore.plan_resolve, model, nil, {tp = 7})
  says(err, {code = "divide", rule = "tp_heads", field = "tp", other = "heads", got = 7, lower = 4, upper = 8})
  same(tostring(err), dtcore.text(err))
  same(dtcore.text(err, "en"), err.text)
  same("a: " .. err, "a: " .. err.text)
  same(err .. "!", err.text .. "!")
  assert(err.text:find("tp = 7", 1, true) and err.zh:find("必须整除", 1, true))
  same(dtcore.text(err, "zh"), err.zh)
end)

test("errors of text have a place, unknown names a neighbour, doubles stay doubles", function()
  says(caught(dtcore.model_from_hf, '{"model_type" "llama"}'), {code = "parse", offset = 14})
  local err = caught(dtcore.model_find, "llama-2-70bb")
  same(dtcore.model_name(err.lower), "llama-2-70b")
  same(err.text, "unknown model 'llama-2-70bb'; the nearest name is llama-2-70b")
  same(err.zh, "未知模型 'llama-2-70bb'；最接近的名称是 llama-2-70b")
  says(err, {code = "unknown", rule = "model_name", field = "name", got = nil})
  assert(caught(dtcore.gpu_find, "").text == "unknown GPU: ''")
  assert(caught(dtcore.cluster_find, "a\nb").text == "unknown cluster: 'a?b'")
  assert(#caught(dtcore.model_find, ("模"):rep(5000)).text < 150)
  assert(caught(dtcore.plan_parse, "dtcore: tp=8 tpp=4;").text:find(": 'tpp=4'$"))
  assert(caught(dtcore.plan_parse, "dtcore: model=lama tp=8").text:find("^unknown model 'lama'; "))
  assert(caught(dtcore.plan_parse, "dtcore: tp=x").zh:find("：'x'$"))
  assert(not caught(dtcore.plan_format, {}, "a b").text:find("'"))
  err = caught(dtcore.cluster_resolve, {memory = 80 * 2^30, bf16 = -1.5})
  says(err, {field = "bf16", got = -1.5, min = 0.0, max = 1e18})
end)

test("text() takes whatever pcall() gives", function()
  same(dtcore.text("plain"), "plain")
  same(dtcore.text(nil), "(nil)")
  same(dtcore.text(), "(nil)")
  same(dtcore.text({}), "(table)")
  same(dtcore.text({text = {}}), "(table)")
  same(dtcore.text(print, "zh"), "(function)")
  same(dtcore.text(setmetatable({}, {__index = function() error("never") end})), "(table)")
  says(caught(dtcore.text, "x", "fr"), {code = "unknown", field = "lang"})
  says(caught(dtcore.text, "x", 1), {code = "type", field = "lang"})
end)

test("unknown keys are refused, and the nearest named", function()
  says(caught(inputs.plan, {sequence_paralel = true}),
    {code = "unknown", field = "plan", got = "sequence_paralel", nearest = "sequence_parallel"})
  says(caught(inputs.plan, {tpp = 8}), {nearest = "tp"})
  says(caught(inputs.model, {layer = 8}), {field = "model", nearest = "layers"})
  says(caught(inputs.plan, {8}), {code = "unknown", got = 1})
  says(caught(inputs.plan, {[true] = 8, tp = 8}), {code = "unknown", got = true})
  says(caught(inputs.plan, {[print] = 8}), {code = "unknown", got = print})
  says(caught(inputs.plan, {["tp\0"] = 8}), {code = "unknown", got = "tp\0"})
  says(caught(inputs.plan, {[("x"):rep(1000)] = 8}), {code = "unknown"})
  says(caught(inputs.plan, {sharding = "zero4"}), {code = "unknown", field = "sharding", nearest = "zero1"})
  says(caught(inputs.plan, {sharding = ""}), {code = "unknown"})
  says(caught(dtcore.ledger_rows, model, {}, "dens"), {field = "kind", nearest = "dense"})
  says(caught(dtcore.field_id, "plan", "tpp"), {field = "plan", nearest = "tp"})
  says(caught(dtcore.field_id, "plane", "tp"), {code = "unknown", field = "struct"})
end)

test("wrong types name the field", function()
  for struct, f in pairs(inputs) do
    for _, field in ipairs(dtcore.fields[struct]) do
      for _, value in ipairs {print, {}, coroutine.create(function() end), io.stdout} do
        says(caught(f, {[field] = value}), {code = "type", field = field})
      end
    end
  end
  says(caught(inputs.plan, {tp = "8"}), {code = "type", field = "tp"})
  says(caught(inputs.plan, {tp = true}), {code = "type", field = "tp"})
  says(caught(inputs.plan, {dropout = 1}), {code = "type", field = "dropout"})
  says(caught(inputs.cluster, {bf16 = "1"}), {code = "type", field = "bf16"})
end)

test("missing, nil and surplus arguments", function()
  says(caught(dtcore.memory), {code = "type", field = "model"})
  says(caught(dtcore.memory, nil, cluster, {}), {code = "type", field = "model"})
  says(caught(dtcore.memory, model, nil, nil), {code = "type", field = "plan"}) -- a misspelt variable
  says(caught(dtcore.memory_min_gpus, model, nil, {}), {code = "type", field = "cluster"})
  says(caught(dtcore.model_tensor, model), {code = "type", field = "index"})
  says(caught(dtcore.ledger_rows, model, {}), {code = "type", field = "kind"})
  says(caught(dtcore.model_flops, model, 4096, nil), {code = "type", field = "convention"})
  same(dtcore.model_flops(model, 4096), dtcore.model_flops(model, 4096, "default"))
  says(caught(dtcore.memory, model, cluster, {}, nil, nil), {code = "type", field = "memory"})
  says(caught(dtcore.version, 1), {code = "type", field = "version"})
  says(caught(dtcore.model_names, 1), {code = "type", field = "model_names"})
  says(caught(dtcore.plan_format, {}, "m", 1), {code = "type", field = "plan_format"})
  says(caught(dtcore.plan_parse), {code = "type", field = "text"})
  says(caught(dtcore.model_find, 8), {code = "type", field = "name"})
  says(caught(dtcore.model_find, "llama-2-70b\0x"), {code = "range", field = "name"})
  says(caught(dtcore.model_from_hf, "{}\0"), {code = "parse"})
  says(caught(dtcore.model_name, 10^6), {code = "range", field = "index", got = 10^6})
end)

-- ---- numbers -------------------------------------------------------------------------------------------------------

test("integers that a field cannot take are refused by its name", function()
  local huge = math.huge
  for _, value in ipairs {-1, 1.5, -0.5, huge, -huge, 0 / 0, 2^53 + 2, 2^63, 2^64 + 2^12, 1e300} do
    local err = caught(inputs.plan, {tp = value})
    says(err, {code = "range", field = "tp"})
    assert(err.got == value or value ~= value)
  end
  says(caught(inputs.plan, {framework_version = 2^32}), {code = "range", field = "framework_version"})
  says(caught(inputs.plan, {sharding = 2^32}), {code = "range", field = "sharding"})
  says(caught(inputs.plan, {sharding = -1}), {code = "range", field = "sharding"})
  says(caught(inputs.cluster, {memory = 2^36, bf16 = 0 / 0}), {code = "range", field = "bf16"})
end)

test("integral floats are integers, up to 2^53", function()
  same(dtcore.plan_resolve(model, nil, {tp = 8.0}), dtcore.plan_resolve(model, nil, {tp = 8}))
  same(dtcore.plan_resolve(model, nil, {tp = -0.0}), dtcore.plan_resolve(model, nil, {tp = 0}))
  says(caught(dtcore.memory_states, 2^53 - 1, {tp = 2^53}), {field = "tp", got = 9007199254740992})
end)

test("results are integers where Lua has them, and the nearest float above", function()
  local err = caught(inputs.plan, {tp = dtcore.NONE}) -- UINT64_MAX, out of range
  says(err, {code = "range", field = "tp", max = 1048576})
  same(dtcore.NONE, 2.0^64)
  same(dtcore.MESH_AXES, 16)
  same(dtcore.MAIN, dtcore.plan_resolve(model, nil, {framework_version = dtcore.MAIN}).framework_version)
  if math.type then
    same(math.type(dtcore.params(model).total), "integer")
    same(math.type(dtcore.model_flops(model, 4096)), "float")
    same(caught(inputs.plan, {tp = math.maxinteger}).got, math.maxinteger)
    says(caught(inputs.plan, {tp = math.mininteger}), {code = "range", got = math.mininteger})
  end
end)

-- ---- hostile tables ------------------------------------------------------------------------------------------------

test("fields that a metatable gives count", function()
  local defaults = {tp = 8, sharding = "distopt"}
  same(inputs.plan(setmetatable({}, {__index = defaults})), inputs.plan(defaults))
  same(inputs.plan(setmetatable({tp = 8}, {__index = function(_, k) return k == "sharding" and "distopt" or nil end})),
    inputs.plan(defaults))
  same(inputs.plan(setmetatable({tp = 8}, {__metatable = "locked"})), inputs.plan {tp = 8})
  says(caught(inputs.plan, setmetatable({}, {__index = {tp = "8"}})), {code = "type", field = "tp"})
end)

test("errors of metamethods pass", function()
  local mine = {}
  local hostile = setmetatable({}, {__index = function() error(mine) end})
  for _, f in pairs {inputs.model, inputs.cluster, inputs.plan, inputs.stage} do
    local ok, err = pcall(f, hostile)
    same(ok, false)
    assert(err == mine)
  end
  local never = function() error("never") end
  local quiet = {__newindex = never, __len = never, __pairs = never, __call = never, __tostring = never, __eq = never}
  same(inputs.plan(setmetatable({tp = 8}, quiet)), inputs.plan {tp = 8})
end)

test("a metamethod may call the module", function()
  local nested = setmetatable({}, {__index = function(_, k)
    return k == "tp" and dtcore.plan_resolve(model, nil, {tp = 8}).tp or nil
  end})
  same(inputs.plan(nested), inputs.plan {tp = 8})
  local deep
  deep = setmetatable({}, {__index = function() return inputs.plan(deep).tp end})
  same(pcall(inputs.plan, deep), false)
end)

test("arrays of stages", function()
  local function stages(...) return dtcore.memory(model, nil, {pp = 2}, ...) end
  same(stages {{layers = 40, embedding = 1}, {layers = 40, head = 1}}, stages())
  for _, bad in ipairs {{1}, {{}, 1}, {{}, x = {}}, {[2] = {}}, {{}, nil, {}, nil, {}}, {x = 1}, {[1.5] = {}}} do
    says(caught(stages, bad), {code = "type", field = "stages"})
  end
  says(caught(stages, {{layers = 40}, {layer = 40}}), {code = "unknown", field = "stages", nearest = "layers"})
  says(caught(stages, {}), {code = "conflict"})
  says(caught(stages, 1), {code = "type", field = "stages"})
  local sparse = {}
  for i = 0, 40 do sparse[2^i] = {} end
  says(caught(stages, sparse), {code = "type", field = "stages"})
end)

test("arrays of integers", function()
  local axes = {{name = "tp", size = 2}, {name = "dp", size = 4}}
  same(dtcore.mesh_rank(axes, 0, {1, 2}), 5)
  same(dtcore.mesh_rank(axes, 8, {1.0, 2.0}), 13)
  same(dtcore.mesh_coord(axes, 8, 13), {1, 2})
  same(dtcore.mesh_table(axes, 6, 2), {0, 3, 1, 3})
  same(#dtcore.mesh_table(axes, 0, 8), 16)
  same(#dtcore.mesh_table({{size = 1000}}, 0, 1000), 1000)
  same(dtcore.ring_crossings({}), 0)
  same(#dtcore.mesh_coord({{size = 1}}, 0, 0), 1)
  for _, bad in ipairs {{"1", 2}, {1, {}}, {1, 2, x = 3}, {[2] = 1}, {1, nil, 2}} do
    says(caught(dtcore.mesh_rank, axes, 0, bad), {code = "type", field = "coord"})
  end
  for _, bad in ipairs {{1, 1.5}, {-1, 0}, {0, 2^53 + 2}} do
    says(caught(dtcore.mesh_rank, axes, 0, bad), {code = "range", field = "coord"})
  end
  says(caught(dtcore.mesh_rank, axes, 0, nil), {code = "type", field = "coord"})
  says(caught(dtcore.mesh_world, nil), {code = "type", field = "axes"})
  says(caught(dtcore.mesh_world, {{sise = 2}}), {code = "unknown", field = "axes", nearest = "size"})
end)

test("in coroutines", function()
  local co = coroutine.wrap(function() coroutine.yield(dtcore.memory(model)) error(caught(inputs.plan, {tp = 7})) end)
  same(co(), dtcore.memory(model))
  same(pcall(co), false)
end)

test("nothing is kept", function()
  local function work()
    for _ = 1, 300 do
      pcall(inputs.plan, {tp = 7})
      pcall(inputs.plan, {tpp = 7})
      dtcore.memory_stages(model, nil, {pp = 80}, nil)
      dtcore.plan_format({}, ("n"):rep(2000))
    end
    collectgarbage() collectgarbage()
    return collectgarbage("count")
  end
  work()
  local first = work()
  assert(work() < first + 16, "memory grows")
end)

-- Anything to anything: results or an error table, never another kind of end.
test("hostile arguments to every function", function()
  local seed = 1
  local function random(n)
    seed = (seed * 16807) % 2147483647
    return seed % n + 1
  end
  local cyclic = {}
  cyclic.tp, cyclic[1] = cyclic, cyclic
  local values = {model, cluster, {}, {tp = 8}, {tp = {}}, {{}}, {{layers = 2^53}}, cyclic, 0, 1, 7, -1, 1e300, 0 / 0,
    math.huge, 2^64, 2^32, "", "\0", "llama-2-70b", "dtcore: tp=8", ("["):rep(10000), '{"model_type":"llama"}', true,
    false, print, coroutine.create(function() end), io.stdout, "zero3", "dense", 3.5, {layers = 2^20, hidden = 2^24},
    setmetatable({}, {__index = {tp = 2}})}
  local names = {}
  for name, f in pairs(dtcore) do
    if type(f) == "function" then names[#names + 1] = name end
  end
  table.sort(names)
  assert(#names > 30)
  for _, name in ipairs(names) do
    for _ = 1, 400 do
      local args, n = {}, random(6) - 1
      for i = 1, n do args[i] = values[random(#values + 3)] end
      local ok, err = pcall(dtcore[name], unpack(args, 1, n))
      if not ok and (type(err) ~= "table" or type(err.text) ~= "string" or type(err.zh) ~= "string") then
        error(name .. check.shown(args) .. ": " .. tostring(err))
      end
    end
  end
end)

for _, row in ipairs(tests) do
  local ok, err = xpcall(row[2], function(err) return debug.traceback(tostring(err)) end)
  passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
  if not ok then print("FAILED: " .. row[1] .. "\n" .. err) end
end
print(passed .. " passed, " .. failed .. " failed")
os.exit(failed == 0 and 0 or 1)
