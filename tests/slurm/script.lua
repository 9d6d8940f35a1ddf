-- The scripts of examples/slurm with a stub of Slurm: verdicts, what is filled, many hostile texts, and errors of every
-- kind, none of which may reach slurmctld. usage: script.lua FOLDER_OF_SCRIPTS FOLDER_OF_MODULE TEXTS
local folder, modules = arg[1], arg[2]
local version = _VERSION:match("%d%.%d")
local other_modules = modules:gsub("5%.%d$", version == "5.1" and "5.4" or "5.1")
local failed, checks = 0, 0
local said, logged = {}, {}

local function check(ok, ...)
  checks = checks + 1
  if not ok then
    failed = failed + 1
    print("FAILED: " .. table.concat({...}, " "))
  end
end

local function line(to)
  return function(...) to[#to + 1] = string.format(...) end
end
slurm = {SUCCESS = 0, ERROR = -1, log_user = line(said), log_error = line(logged), log_info = line(said)}

local site = {
  modules = modules,
  default = "h100",
  partitions = {
    h100 = {cluster = "dgx-h100", nodes = 64},
    soft = {cluster = "dgx-h100", mode = "warn"},
    half = {gpu = "a100-80gb", gpus_per_node = 4, usable = 40 * 2 ^ 30, fill = false},
    quad = {gpu = "a100-80gb", gpus_per_node = 4},
    nvl = {cluster = "gb200-nvl72"},
    broken = {cluster = "dgx-h1000"},
    odd = {cluster = "dgx-h100", mode = "sometimes"},
    empty = {},
  },
}
local load_file, given_site = loadfile, function() return site end
function loadfile(name)
  if name:find("dtcore_site%.lua$") then return given_site end
  return load_file(name)
end

-- What a fresh job_submit.lua logs while it is loaded.
local function start()
  said, logged = {}, {}
  slurm.log_user, slurm.log_error, slurm.log_info = line(said), line(logged), line(said)
  check(dofile(folder .. "job_submit.lua") == slurm.SUCCESS, "job_submit.lua does not return SUCCESS")
  return table.concat(logged, "\n")
end

-- ---- jobs ----------------------------------------------------------------------------------------------------------

local OPEN16, OPEN32 = 65534, 4294967294
local fields = {num_tasks = OPEN32, ntasks_per_node = OPEN16, min_nodes = OPEN32, max_nodes = OPEN32, tres_per_node = false,
                tres_per_job = false, tres_per_task = false, tres_per_socket = false, comment = false, partition = false,
                script = "#!/bin/sh\n", environment = false, spank_job_env = false, spank_job_env_size = 0}

-- A job as Slurm 22.05 gives it: fields that it does not know read as nil and cannot be written.
local function job(values, more)
  local data = {}
  for name, value in pairs(fields) do data[name] = value or nil end
  data.environment, data.spank_job_env = {}, {}
  for name, value in pairs(values) do data[name] = value or nil end
  return setmetatable({}, {
    __index = data,
    __newindex = function(_, name, value)
      if fields[name] == nil and not (more and more[name]) then error("unrecognized field: " .. name) end
      data[name] = value
    end,
  }), data
end

local parts = {h100 = {flag_default = 1}, soft = {flag_default = 0}}

local function submit(values, more)
  for i = #said, 1, -1 do said[i] = nil end
  for i = #logged, 1, -1 do logged[i] = nil end
  local made, data = job(values, more)
  local ok, result = pcall(slurm_job_submit, made, parts, 1000)
  check(ok, "raised", tostring(result))
  return result, data, table.concat(said, "\n"), table.concat(logged, "\n")
end

local function verdict(values, want, text)
  local result, data, told, errors = submit(values)
  local title = (values.comment or values.environment and values.environment.DTCORE_PLAN or "?") .. ":"
  check(result == want, title, "returned", tostring(result), told)
  check(text == "" and told == "" or text ~= "" and told:find(text, 1, true), title, "told", told, "expected", text)
  check(errors == "", title, "logged", errors)
  return data
end

-- ---- the site ------------------------------------------------------------------------------------------------------

local log = start()
check(log:find("partition broken: unknown cluster 'dgx-h1000'", 1, true), "an unknown cluster:", log)
check(log:find("partition odd: mode must be", 1, true), "an unknown mode:", log)
check(log:find("partition empty:", 1, true), "a row without GPUs:", log)
check(#logged == 3, "lines of broken rows:", log)

-- Nothing is read, run or loaded any more.
local function forbidden(name)
  return function() error("I/O: " .. name) end
end
local before = {open = io.open, dofile = dofile, require = require, loadfile = loadfile, popen = io.popen, getenv = os.getenv}
local function seal(open)
  io.open, dofile = open and before.open or forbidden "open", open and before.dofile or forbidden "dofile"
  require, loadfile = open and before.require or forbidden "require", open and before.loadfile or forbidden "loadfile"
  io.popen, os.getenv = open and before.popen or forbidden "popen", open and before.getenv or forbidden "getenv"
end
seal(false)

-- ---- verdicts ------------------------------------------------------------------------------------------------------

local OK, NO = slurm.SUCCESS, slurm.ERROR
local good = "dtcore: model=llama-3-70b megatron tp=8 pp=4 dp=1 vpp=2 sp mbs=1 gbs=64 recompute=full"
local small = "dtcore: model=llama-2-7b megatron tp=8 dp=2"

verdict({}, OK, "")
verdict({comment = "nothing of ours"}, OK, "")
verdict({comment = "dt core: tp=x"}, OK, "")
verdict({comment = good}, OK, "")
verdict({comment = "run 7; " .. good .. "; more"}, OK, "")
verdict({comment = "dtcore: tp=x"}, NO, "dtcore: byte 11: not a value for tp: 'x'")
verdict({comment = "dtcore: model=lama tp=8"}, NO, "unknown model 'lama'")
verdict({comment = "dtcore: model=llama-3-70b tp=7"}, NO, "nearest legal: 4, 8")
-- 70.55e9 parameters in 8 shares of 18 bytes are 147.9 GiB before a single activation: an H100 has 79.1.
verdict({comment = "dtcore: model=llama-3-70b megatron tp=8 mbs=1 gbs=8"}, NO, "79.10 GiB usable")
verdict({comment = "dtcore: model=llama-3-70b megatron tp=8 mbs=1 gbs=8", partition = "soft"}, OK, "79.10 GiB usable")
verdict({comment = "dtcore: tp=7 dp=2"}, OK, "") -- without a model there is nothing to divide
verdict({comment = "dtcore: tp=8 pp=65 dp=1"}, NO, "the plan needs 520 GPUs (tp 8 x pp 65), the partition has 512")
verdict({comment = "dtcore: tp=7", partition = "unknown"}, OK, "")
verdict({comment = "dtcore: tp=x", partition = "broken"}, OK, "")
verdict({comment = "dtcore: " .. ("x"):rep(3000)}, NO, "longer than 2048 bytes")

-- The size of the job: nodes, tasks or GPUs.
verdict({comment = small, min_nodes = 2, max_nodes = 2}, OK, "")
verdict({comment = small, min_nodes = 1, max_nodes = 1}, NO, "nodes * gpus_per_node = 8")
verdict({comment = small, tres_per_job = "gres:gpu:16"}, OK, "")
verdict({comment = small, tres_per_job = "gres/gpu=12"}, NO, "the plan needs 16 GPUs (tp 8 x dp 2), the job asks for 12")
verdict({comment = small, tres_per_job = "gres:gpu:h100:32,license:x:1"}, OK, "the plan uses 16 of the 32 GPUs")
verdict({comment = small, tres_per_node = "gres:gpu", min_nodes = 4, max_nodes = 4}, NO, "nodes * gpus_per_node = 4")
verdict({comment = small, tres_per_node = "gres/gpu:h100:8", min_nodes = 2, max_nodes = 2}, OK, "")
verdict({comment = small, tres_per_node = "gres:nic:1", min_nodes = 1, max_nodes = 4}, OK, "") -- a range
verdict({comment = small, tres_per_task = "gres:gpu:1", num_tasks = 16}, OK, "")
verdict({comment = small, tres_per_task = "gres:gpu:1", num_tasks = 8}, NO, "nodes * gpus_per_node = 8")
verdict({comment = small, num_tasks = 12}, OK, "12 tasks, but the plan has 16 ranks")
verdict({comment = small, num_tasks = 2, min_nodes = 2, max_nodes = 2}, OK, "") -- torchrun on each
verdict({comment = "dtcore: model=llama-2-7b tp=8", tres_per_job = "gres:gpu:24"}, OK, "")
verdict({comment = "dtcore: model=llama-2-7b megatron tp=8 pp=2", tres_per_job = "gres:gpu:24"}, NO, "nodes * gpus_per_node = 24")
verdict({comment = "dtcore: model=llama-2-7b tp=4 dp=1", partition = "half"}, OK, "")

-- Several partitions: one that takes the plan is enough; where it may only be warned, jobs pass.
verdict({comment = "dtcore: model=llama-3-70b megatron tp=8 mbs=1 gbs=8", partition = "h100,half"}, NO, "does not fit")
verdict({comment = "dtcore: tp=8 pp=65", partition = "h100,half"}, OK, "")

-- Where the plan stands, in the order that counts.
local bad = "dtcore: tp=x"
verdict({comment = bad, environment = {DTCORE_PLAN = "tp=2"}}, OK, "")
verdict({comment = good, environment = {DTCORE_PLAN = "tp=x"}}, NO, "not a value")
verdict({comment = "dtcore: tp=7", environment = {DTCORE_MODEL = "llama-3-70b"}}, NO, "heads")
local options = {[0] = "PATH=/bin", "_SLURM_SPANK_OPTION_dtcore_dt_plan=tp=7", "_SLURM_SPANK_OPTION_dtcore_dt_model=llama-3-70b"}
verdict({comment = good, environment = {DTCORE_PLAN = "tp=8"}, spank_job_env = options, spank_job_env_size = 3}, NO, "heads")
verdict({comment = "dtcore: tp=7", script = false, environment = false}, OK, "") -- srun has no environment

-- ---- what is filled ------------------------------------------------------------------------------------------------

local function filled(data, want, title)
  for name, value in pairs(want) do
    local got = data[name]
    if got == nil then got = data.environment[name] end
    check(got == value, title, name, "is", tostring(got), "not", tostring(value))
  end
end

filled(verdict({comment = good}, OK, ""), {
  min_nodes = 4, max_nodes = 4, num_tasks = 32, ntasks_per_node = 8, tres_per_node = "gres:gpu:8", SLURM_DISTRIBUTION = "block",
  SLURM_NTASKS = "32", SLURM_NPROCS = "32", SLURM_NTASKS_PER_NODE = "8", SLURM_GPUS_PER_NODE = "8", DTCORE_PLAN = good}, "all open:")
filled(verdict({comment = "dtcore: tp=4"}, OK, ""), {min_nodes = 1, num_tasks = 4, tres_per_node = "gres:gpu:4"}, "half a node:")
filled(verdict({comment = small, min_nodes = 2, max_nodes = 2, num_tasks = 2}, OK, ""),
  {num_tasks = 2, tres_per_node = "gres:gpu:8", SLURM_DISTRIBUTION = "block"}, "torchrun:")
filled(verdict({comment = small, tres_per_node = "gres:gpu:4"}, OK, ""),
  {min_nodes = 4, num_tasks = 16, ntasks_per_node = 4, tres_per_node = "gres:gpu:4"}, "four GPUs of a node:")
filled(verdict({comment = small, environment = {SLURM_DISTRIBUTION = "cyclic"}}, OK, ""), {SLURM_DISTRIBUTION = "cyclic"}, "given:")
filled(verdict({comment = "dtcore: tp=4 dp=1", partition = "half"}, OK, ""), {min_nodes = OPEN32, num_tasks = OPEN32}, "no filling:")
filled(verdict({comment = "dtcore: tp=4 dp=3"}, OK, ""), {min_nodes = OPEN32, num_tasks = OPEN32}, "uneven:")
filled(verdict({comment = "dtcore: tp=x"}, NO, "tp"), {min_nodes = OPEN32, DTCORE_PLAN = nil}, "refused:")
local _, interactive = submit {comment = good, script = false, environment = false}
check(interactive.num_tasks == OPEN32 and interactive.min_nodes == OPEN32, "srun: filled")
-- NVLink joins 18 nodes of 4 GPUs: groups of 8 ranks need pairs of them. This Slurm has the field.
local result, wide = submit({comment = "dtcore: model=llama-3-70b megatron tp=8 dp=8 sp recompute=full", partition = "nvl",
                             segment_size = OPEN16}, {segment_size = true})
check(result == OK and wide.segment_size == 2 and wide.min_nodes == 16, "segment:", tostring(wide.segment_size), said[1] or "")
local _, narrow = submit({comment = "dtcore: model=llama-2-7b megatron tp=8 dp=2", partition = "quad", segment_size = OPEN16},
  {segment_size = true})
check(narrow.segment_size == OPEN16 and narrow.min_nodes == 4, "NVLink ends at the node:", tostring(narrow.segment_size))
check(wide.tres_per_node == "gres/gpu:4", "newer Slurm:", tostring(wide.tres_per_node))

-- ---- hostile texts -------------------------------------------------------------------------------------------------

local state = 20240229
local function random(n) -- [1, n]; the same on every machine
  state = (state * 16807) % 2147483647
  return state % n + 1
end
local function pick(list)
  return list[random(#list)]
end
local keys = {"tp", "cp", "pp", "dp", "vpp", "ep", "etp", "mbs", "gbs", "seq", "recompute", "model", "dp_shard", "schedule",
              "precision", "sharding", "accumulation", "group", "first_layers", "nonsense", "", "tp tp", "%s%n", "\1\127"}
local values = {"0", "1", "2", "3", "7", "8", "4096", "65537", "1048576", "4294967296", "18446744073709551615",
                "18446744073709551616", "-1", "1e9", "nan", "llama-3-70b", "deepseek-v3", "full", "fsdp", "interleaved", "x", "",
                "\255\254", "'; rm -rf /", "%d%s%n", "$(id)", "1048575", "zbv", "true"}
local words = {"sp", "nosp", "megatron", "megatron@0.16", "deepspeed", "torchtitan", "pytorch", "dtcore:", "model=llama-3-70b",
               "model=deepseek-v3", "model=gpt2", ";", "\n", "\t", ("y"):rep(300)}

local function hostile()
  local kind, text = random(4), {}
  for i = 1, random(kind == 1 and 40 or 9) do
    if kind == 1 then
      text[i] = string.char(random(255))
    elseif random(3) == 1 then
      text[i] = pick(words)
    else
      text[i] = pick(keys) .. pick {"=", "=", "=", "", "=="} .. pick(values)
    end
  end
  return "dtcore: " .. table.concat(text, kind == 1 and "" or " ")
end

local TEXTS = tonumber(arg[3])
local refused, accepted, slowest = 0, 0, 0
for _ = 1, TEXTS do
  local text, began = hostile(), os.clock()
  local outcome, _, told, errors = submit {comment = text, num_tasks = pick {OPEN32, 1, 7, 4294967280},
                                           min_nodes = pick {OPEN32, 1, 3}, max_nodes = pick {OPEN32, 1, 3},
                                           tres_per_node = pick {"gres:gpu:8", "gres:gpu:0", "gpu:::", "gres/gpu=99999999999"},
                                           partition = pick {"h100", "nvl", "half", "soft", "h100,nvl", ",,,"}}
  slowest = math.max(slowest, os.clock() - began)
  refused, accepted = refused + (outcome == NO and 1 or 0), accepted + (outcome == OK and 1 or 0)
  if errors ~= "" then check(false, "logged", errors, "for", string.format("%q", text)) end
  if told:gsub("\n", ""):find("%c") then check(false, "a control character in", string.format("%q", told)) end
end
check(refused + accepted == TEXTS, "other results than success and error")
check(refused > TEXTS / 2 and accepted > TEXTS / 1000, "refused", refused, "accepted", accepted)
print(("%d hostile texts: %d refused, %d accepted, none logged an error; the slowest took %.2f ms"):format(TEXTS, refused,
  accepted, slowest * 1000))

-- ---- errors of every kind ------------------------------------------------------------------------------------------

local function raises() error("boom") end
for _, raised in ipairs {{}, false, 7, "text", setmetatable({}, {__tostring = raises})} do
  local made = setmetatable({}, {__index = function() error(raised) end})
  local ok, outcome = pcall(slurm_job_submit, made, parts, 0)
  check(ok and outcome == OK, "a job that raises", type(raised))
end
check(#logged > 0, "errors are not logged")
for _, broken in ipairs {"log_user", "log_error"} do
  local saved = slurm[broken]
  slurm[broken] = raises
  local ok, outcome = pcall(slurm_job_submit, (job {comment = bad}), parts, 0)
  check(ok and (outcome == OK or outcome == NO), broken, "raises")
  slurm[broken] = saved
end
check(pcall(slurm_job_submit) and pcall(slurm_job_submit, nil, nil, nil), "no arguments")
check(slurm_job_modify(nil, nil, nil, 0) == OK, "slurm_job_modify")

-- Broken installations: one line while loading, and every job passes.
seal(true)
local function broken(title, wanted, change, restore)
  change()
  local told = start()
  check(told:find("dtcore: plans are not checked: ", 1, true) and told:find(wanted, 1, true), title, "logged", told)
  local outcome = submit {comment = bad}
  check(outcome == OK, title, "returned", tostring(outcome))
  restore()
end
local function with_site(value)
  return function() given_site = function() return value end end, function() given_site = function() return site end end
end
broken("no table", "gives no partitions", with_site(7))
broken("no partitions", "gives no partitions", with_site {})
broken("a site that raises", "boom", function() given_site = raises end, select(2, with_site()))
broken("no site", "No such file", function() given_site = nil loadfile = function(name)
  return load_file((name:gsub("dtcore_site", "nowhere"))) end end, function() loadfile, given_site = before.loadfile, function() return site end end)
package.loaded.dtcore = nil
local path = package.cpath
broken("no module", "module 'dtcore' not found", function() package.cpath = "" site.modules = "/nowhere" end, function() end)
package.cpath = path
broken("another Lua's module", "undefined symbol", function() site.modules, package.loaded.dtcore = other_modules, nil end, function() site.modules = modules end)
broken("no helper", "nowhere.lua", function() dofile = function(name)
  return before.dofile((name:gsub("dtcore_slurm", "nowhere"))) end end, function() dofile = before.dofile end)

-- ---- cli_filter ----------------------------------------------------------------------------------------------------

package.cpath, package.loaded.dtcore = path, nil
given_site = function() return site end
said, logged = {}, {}
slurm.log_user, slurm.log_error, slurm.log_info = line(said), line(logged), line(said)
os.getenv = function() return nil end
check(dofile(folder .. "cli_filter.lua") == OK, "cli_filter.lua")
local function advice(options, want, text)
  for i = #said, 1, -1 do said[i] = nil end
  for i = #logged, 1, -1 do logged[i] = nil end
  local ok, outcome = pcall(slurm_cli_pre_submit, options, 0)
  local told = table.concat(said, "\n") .. table.concat(logged, "\n")
  check(ok and outcome == want, "cli_filter:", tostring(rawget(options, "comment")), tostring(outcome), told)
  check(text == "" and told == "" or text ~= "" and told:find(text, 1, true), "cli_filter:", tostring(rawget(options, "comment")), told)
end
local unset = {nodes = "1", ntasks = "1", ["ntasks-per-node"] = "-2", ["gpus-per-node"] = "0"}
local function cli(values)
  for name, value in pairs(unset) do values[name] = values[name] or value end
  return values
end
advice(cli {}, OK, "")
advice(cli {comment = good}, OK, "")
advice(cli {comment = bad}, NO, "not a value")
advice(cli {comment = bad, partition = "soft"}, OK, "not a value")
advice(cli {comment = small, nodes = "4", ["gpus-per-node"] = "2"}, NO, "nodes * gpus_per_node = 8")
advice(cli {comment = small, nodes = "2-4"}, OK, "")
-- Slurm says 1 node whether it was asked for or not: without dp the GPUs are not known, and with them it may fit.
local open = "dtcore: model=llama-3-70b megatron tp=8 mbs=1 gbs=8"
advice(cli {comment = open, nodes = "1"}, OK, "with dp = 1 it does not fit")
advice(cli {comment = open:gsub("mbs", "dp=1 mbs")}, NO, "does not fit")
advice(cli {comment = open, gpus = "8"}, NO, "does not fit")
advice(cli {comment = small, distribution = "cyclic"}, OK, "--distribution=cyclic spreads")
advice(cli {comment = small, distribution = "plane=4"}, OK, "--distribution=plane=4 spreads")
advice(cli {comment = small, distribution = "plane=8"}, OK, "")
advice(cli {comment = "dtcore: model=llama-2-7b megatron tp=16 dp=1"}, OK, "NVLink domain")
advice(cli {comment = good, spank = {dtcore = {["dt-plan"] = "tp=7", ["dt-model"] = "llama-3-70b"}}}, NO, "heads")
os.getenv = function(name) return name == "SLURM_JOB_ID" and "7" or nil end
advice(cli {comment = bad, type = "srun"}, OK, "") -- a step
advice(cli {comment = bad, type = "sbatch"}, NO, "not a value") -- a job from inside a job
advice(setmetatable({}, {__index = raises}), OK, "was not checked")
check(slurm_cli_setup_defaults({}, false) == OK and slurm_cli_post_submit(0, 1, 2) == OK, "cli_filter's other functions")

-- A script of the site's own, as doc/slurm.md says.
os.getenv = before.getenv
logged = {}
slurm.log_error = line(logged)
local own_ok, own = pcall(function() return dofile(folder .. "dtcore_slurm.lua").open(folder, slurm.log_error) end)
check(own_ok and #logged == 3, "a script of the site's own:", tostring(own))
check(own:submit((job {comment = bad}), parts, slurm) == NO and own:submit((job {comment = good}), parts, slurm) == OK, "its verdicts")

print(("%d passed, %d failed"):format(checks - failed, failed))
os.exit(failed == 0 and 0 or 1)
