-- What job_submit.lua and cli_filter.lua share: plans of dtcore held against the site's GPUs and the job's size.
-- Lua 5.1 to 5.4. Reads its files when it is loaded, and none after that. Nothing that a job says reaches Slurm as an error:
-- every entry runs protected, and what goes wrong lets the job pass and leaves a line in the log.
local M = {}

local GIB, LONGEST = 2 ^ 30, 2048

-- A text of a job, fit for a log and a terminal: one line, no control characters.
local function plain(text)
  text = tostring(text):gsub("[%c\127]", "?")
  return #text > 400 and text:sub(1, 397) .. "..." or text
end

-- ---- the site ------------------------------------------------------------------------------------------------------

local MODES = {enforce = true, warn = true}

-- A partition of the site table: its cluster, resolved, and what is done there.
local function partition(dtcore, site, row)
  local fields = {cluster = true, gpu = true, mode = true, fill = true}
  local cluster = row.cluster and dtcore.cluster_find(row.cluster) or dtcore.gpu_find(row.gpu)
  if cluster.nvlink_domain == cluster.gpus_per_node then cluster.nvlink_domain = 0 end -- a node, whatever the row makes of it
  for name, value in pairs(row) do
    if not fields[name] then cluster[name] = value end -- of dtc_cluster: usable, gpus_per_node, nodes
  end
  local made = {cluster = dtcore.cluster_resolve(cluster), mode = row.mode or site.mode or "enforce", fill = row.fill}
  made.nodes, made.cluster.nodes = made.cluster.nodes, 0 -- a bound of jobs; a plan without dp does not mean all of them
  if made.fill == nil then made.fill = site.fill end
  if made.fill == nil then made.fill = true end
  if not MODES[made.mode] then error("mode must be enforce or warn, not " .. plain(made.mode), 0) end
  return made
end

-- Loads module and site table from a folder; raises what is wrong. A row of the table that is wrong takes itself out, and
-- log(format, line) is called.
function M.open(folder, log)
  local read, why = loadfile(folder .. "dtcore_site.lua")
  if not read then error(why, 0) end
  local site = read()
  if type(site) ~= "table" or type(site.partitions) ~= "table" then error("dtcore_site.lua gives no partitions", 0) end
  package.cpath = (site.modules and site.modules .. "/?.so;" or "") .. folder .. "?.so;" .. package.cpath
  local dtcore = require "dtcore"
  local self = {dtcore = dtcore, partitions = {}, default = site.default}
  for name, row in pairs(site.partitions) do
    local ok, made = pcall(partition, dtcore, site, row)
    if ok then
      self.partitions[name] = made
    else
      pcall(log, "%s", "dtcore: dtcore_site.lua, partition " .. plain(name) .. ": " .. plain(dtcore.text(made)) ..
        "; jobs there are not checked")
    end
  end
  return setmetatable(self, {__index = M})
end

-- The partition of a job, the default one for a job without, or that of all others.
function M:at(name)
  return self.partitions[name or self.default] or self.partitions["*"]
end

-- ---- the plan ------------------------------------------------------------------------------------------------------

-- The plan in a comment or another text of the user; nil when there is none.
function M.plan_of(text)
  local at = type(text) == "string" and text:find("dtcore:", 1, true)
  return at and text:match("^[^;\r\n]*", at)
end

-- GPUs in a text such as gres:gpu:h100:8 or gres/gpu=8,license:1; nil when it names none, as gpu:0 does.
function M.gpus_of(text)
  local count
  if type(text) ~= "string" then return nil end
  for item in text:gmatch("[^,]+") do
    local name = item:gsub("^gres[:/]", "")
    if name == "gpu" or name:find("^gpu[:=]") then count = (count or 0) + (tonumber(name:match("[:=](%d+)$")) or 1) end
  end
  return count ~= 0 and count or nil
end

local function degrees(v)
  local text = "tp " .. math.max(v.tp, 1)
  for _, name in ipairs {"cp", "pp", "dp"} do
    if v[name] > 1 then text = text .. " x " .. name .. " " .. v[name] end
  end
  return text
end

-- What is known of the plan on the GPUs that the job asks for; raises what is wrong with it. These GPUs decide a dp that the
-- plan leaves open. The site's own table is lent out for the call: a copy would cost as much as all else.
local function verdict(self, text, model, asked, cluster)
  local per_node = cluster.gpus_per_node
  local gpus = asked.gpus or (asked.nodes and asked.nodes * (asked.gpus_per_node or per_node))
  if gpus and gpus > 0 then
    cluster.gpus_per_node = math.min(asked.gpus_per_node or per_node, gpus, per_node)
    if gpus % cluster.gpus_per_node == 0 then cluster.nodes = gpus / cluster.gpus_per_node end
  end
  local ok, v = pcall(self.dtcore.plan_verdict, text, cluster, model)
  cluster.gpus_per_node, cluster.nodes = per_node, 0
  if not ok then error(v, 0) end
  return v
end

-- Why the ranks do not fit the job's size or the partition; nil when they do.
local function too_small(world, v, part, asked)
  local there = asked.gpus or (asked.nodes and asked.nodes * part.cluster.gpus_per_node)
  if there and there < world then
    return ("the plan needs %d GPUs (%s), the job asks for %d"):format(world, degrees(v), there)
  end
  if part.nodes > 0 and world > part.nodes * part.cluster.gpus_per_node then
    return ("the plan needs %d GPUs (%s), the partition has %d"):format(world, degrees(v), part.nodes * part.cluster.gpus_per_node)
  end
end

-- What is odd about the job's size, but not wrong.
local function oddities(world, asked, notes)
  if asked.gpus and asked.gpus > world then
    notes[#notes + 1] = ("the plan uses %d of the %d GPUs"):format(world, asked.gpus)
  end
  if asked.tasks and asked.tasks > 1 and asked.tasks ~= world and asked.tasks ~= asked.nodes then
    notes[#notes + 1] = ("%d tasks, but the plan has %d ranks"):format(asked.tasks, world)
  end
end

-- Judges a plan: what plan_verdict() says, with world (its ranks) and notes; or only `refused`, why it cannot run.
-- asked: nodes, tasks, gpus, gpus_per_node that the job asks for, as far as it does. model: a name that counts for more than
-- the text's.
function M:judge(text, model, asked, part)
  if #text > LONGEST then return {refused = "the plan is longer than " .. LONGEST .. " bytes"} end
  local ok, v = pcall(verdict, self, text, model, asked, part.cluster)
  if not ok and type(v) ~= "table" then error(v, 0) end -- not the plan's fault
  if not ok then return {refused = plain(self.dtcore.text(v))} end
  v.settled = text:find("%f[%w]dp=%d") ~= nil or asked.gpus ~= nil or asked.nodes ~= nil -- else dp is taken as 1
  v.world = math.max(v.tp, 1) * math.max(v.cp, 1) * math.max(v.pp, 1) * math.max(v.dp, 1)
  if v.fits == false then
    v.too_large = true
    v.refused = ("does not fit: %.2f GiB needed, %.2f GiB usable (%s; pipeline stage %d, most for %s)"):format(
      v.device / GIB, v.capacity / GIB, degrees(v), v.stage, v.largest)
  else
    v.refused = too_small(v.world, v, part, asked)
  end
  v.notes = {}
  if not v.refused then oddities(v.world, asked, v.notes) end
  return v
end

-- ---- job_submit ----------------------------------------------------------------------------------------------------

-- A number of a job, nil where it was not given: Slurm marks that by the largest values of 16 and 32 bits.
local function given(job, name, open)
  local value = job[name]
  return type(value) == "number" and value > 0 and value < open and value or nil
end

local OPEN16, OPEN32 = 65533, 4294967293

-- What a job of job_submit asks for.
function M.asked_by(job)
  local tasks, tasks_per_node = given(job, "num_tasks", OPEN32), given(job, "ntasks_per_node", OPEN16)
  local least, nodes = given(job, "min_nodes", OPEN32), nil
  if least and least == given(job, "max_nodes", OPEN32) then nodes = least end
  local per_node, per_task = M.gpus_of(job.tres_per_node), M.gpus_of(job.tres_per_task)
  local gpus, per_socket = M.gpus_of(job.tres_per_job), M.gpus_of(job.tres_per_socket)
  tasks = tasks or (nodes and tasks_per_node and nodes * tasks_per_node)
  gpus = gpus or (per_node and nodes and per_node * nodes) or (per_task and tasks and per_task * tasks)
  return {nodes = nodes, open_nodes = least == nil, tasks = tasks, tasks_per_node = tasks_per_node, gpus = gpus,
          gpus_per_node = per_node, gpus_per_task = per_task, open_gpus = not (gpus or per_node or per_task or per_socket)}
end

-- An option of the SPANK plugin, which travels with the job.
local function option(job, name)
  local size = job.spank_job_env_size or 0
  if size == 0 then return nil end
  local start = "_SLURM_SPANK_OPTION_dtcore_" .. name .. "="
  for i = 0, size - 1 do
    local line = job.spank_job_env[i]
    if type(line) == "string" and line:sub(1, #start) == start then return line:sub(#start + 1) end
  end
end

-- Plan and model of a job: the option, the environment of a batch job, or the comment; and whether steps know it already.
local function said(job)
  local batch = job.script ~= nil
  local text = option(job, "dt_plan")
  local model = option(job, "dt_model") or (batch and job.environment.DTCORE_MODEL) or nil
  if text then return text, model, true end
  text = batch and job.environment.DTCORE_PLAN
  if text then return text, model, true end
  return M.plan_of(job.comment), model, false
end

-- Names of the job's partitions; without any the default one.
local function partitions(job, parts)
  local given_names, names = job.partition or "", {}
  if given_names ~= "" and not given_names:find(",", 1, true) then return {given_names} end
  for name in given_names:gmatch("[^,]+") do names[#names + 1] = name end
  if #names == 0 then
    for name, part in pairs(parts) do
      if part.flag_default == 1 then names[1] = name end
    end
  end
  return names
end

local function set_open(environment, name, value)
  if environment[name] == nil then environment[name] = tostring(value) end
end

-- Fills what a batch job left open: a task for each rank on full nodes, in the order that keeps groups of neighbours in a node.
local function fill(job, asked, v, part)
  local per_node = asked.gpus_per_node or math.min(part.cluster.gpus_per_node, v.world)
  if per_node == 0 then return end
  local nodes = asked.nodes or v.world / per_node
  if asked.gpus_per_task or nodes % 1 ~= 0 or v.world ~= nodes * per_node then return end -- uneven: the user's
  local environment, each = job.environment, tostring(per_node)
  if asked.open_nodes then
    job.min_nodes, job.max_nodes = nodes, nodes
    asked.nodes = nodes
  end
  if asked.open_gpus then
    job.tres_per_node = (job.segment_size and "gres/gpu:" or "gres:gpu:") .. each
    environment.SLURM_GPUS_PER_NODE = each
  end
  if not (asked.tasks or asked.tasks_per_node) then
    job.num_tasks, job.ntasks_per_node = v.world, per_node
    local all = tostring(v.world)
    environment.SLURM_NTASKS, environment.SLURM_NPROCS, environment.SLURM_NTASKS_PER_NODE = all, all, each
  end
  set_open(environment, "SLURM_DISTRIBUTION", "block")
end

-- Nodes that hold a group of tp together where NVLink joins several: Slurm's --segment. nil when one node does.
function M:segment(text, name, v, part)
  local g, dtcore = part.cluster.gpus_per_node, self.dtcore
  if v.tp <= g or v.tp > part.cluster.nvlink_domain or not v.fits then return nil end
  local plan, model = dtcore.plan_parse(text)
  plan.dp = v.dp
  local axes = dtcore.layout_mesh(dtcore.layout_from_plan(name and dtcore.model_find(name) or model, nil, plan), "dense")
  for i, axis in ipairs(axes) do
    if axis.name == "tp" then return dtcore.mesh_placement(axes, 0, {axes = 2 ^ (i - 1)}, g).segment end
  end
end

local function submit(self, job, parts, slurm)
  local text, model, known = said(job)
  if not text then return slurm.SUCCESS end
  local asked, v, part, refused = M.asked_by(job), nil, nil, nil
  local names = partitions(job, parts)
  for _, name in ipairs(names) do -- one that takes the job is enough
    local here = self:at(name)
    if not here then return slurm.SUCCESS end
    v, part = self:judge(text, model, asked, here), here
    if not v.refused then break end
    refused = refused or (here.mode == "enforce" and v.refused)
  end
  if not v then return slurm.SUCCESS end
  if v.refused then
    slurm.log_user("%s", "dtcore: " .. v.refused)
    return refused and slurm.ERROR or slurm.SUCCESS
  end
  for _, line in ipairs(v.notes) do slurm.log_user("%s", "dtcore: " .. plain(line)) end
  if job.script ~= nil then
    if not known then set_open(job.environment, "DTCORE_PLAN", text) end -- for the tasks
    if part.fill and #names == 1 then fill(job, asked, v, part) end
  end
  if part.fill and asked.nodes and type(job.segment_size) == "number" and job.segment_size >= OPEN16 then
    local segment = self:segment(text, model, v, part)
    if segment and asked.nodes % segment == 0 then job.segment_size = segment end
  end
  return slurm.SUCCESS
end

-- What f returns; when it raises SUCCESS, and a line in the log.
local function protected(slurm, what, f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  pcall(function() slurm.log_error("%s", "dtcore: " .. what .. " was not checked: " .. plain(result)) end)
  return slurm.SUCCESS
end

-- What slurm_job_submit() returns. Never raises.
function M:submit(job, parts, slurm)
  return protected(slurm, "a job", submit, self, job, parts, slurm)
end

-- ---- cli_filter ----------------------------------------------------------------------------------------------------

-- A number of an option; nil where it is a range, or not given: Slurm then says 1, 0 or -2.
local function count(value)
  local least, most = tostring(value):match("^(%d+)%-?(%d*)$")
  value = (most == "" or most == least) and tonumber(least) or nil
  return value and value > 1 and value or nil
end

function M.asked_options(options)
  local asked = {nodes = count(options.nodes), gpus_per_node = M.gpus_of("gpu:" .. tostring(options["gpus-per-node"]))}
  if not tostring(options["gpus-per-node"]):find("%d") then asked.gpus_per_node = M.gpus_of(options.gres) end
  local per_node, tasks = count(options["ntasks-per-node"]), count(options.ntasks)
  local gpus = tostring(options.gpus):find("%d") and M.gpus_of("gpu:" .. options.gpus) or nil
  asked.tasks = per_node and asked.nodes and per_node * asked.nodes or tasks
  asked.gpus = gpus or (asked.gpus_per_node and asked.nodes and asked.gpus_per_node * asked.nodes)
  return asked
end

-- Whether the distribution tears groups of tp apart that would fit in a node.
local function torn(options, v, part)
  local how = tostring(options.distribution or "")
  if v.tp <= 1 or v.tp > part.cluster.gpus_per_node then return nil end
  local plane = tonumber(how:match("plane=(%d+)"))
  if how:find("^cyclic") or (plane and plane % v.tp ~= 0) then
    return ("--distribution=%s spreads the ranks of a tp group over nodes; block keeps them together"):format(how)
  end
end

local function advise(self, options, slurm, environment)
  if options.type == "srun" and environment("SLURM_JOB_ID") then return slurm.SUCCESS end -- a step: judged with its job
  local spank = type(options.spank) == "table" and options.spank.dtcore or {}
  local text = spank["dt-plan"] or environment("DTCORE_PLAN") or M.plan_of(options.comment)
  local part = self:at(type(options.partition) == "string" and options.partition:match("^[^,]+") or nil)
  if not text or not part then return slurm.SUCCESS end
  local name = spank["dt-model"] or environment("DTCORE_MODEL")
  local v = self:judge(text, name, M.asked_options(options), part)
  if v.too_large and not v.settled then -- the options do not tell how many GPUs: the controller will know
    v.notes, v.refused = {"with dp = 1 it " .. v.refused}, nil
  end
  if v.refused then
    slurm.log_error("%s", "dtcore: " .. v.refused)
    return part.mode == "enforce" and slurm.ERROR or slurm.SUCCESS
  end
  v.notes[#v.notes + 1] = torn(options, v, part)
  local plan, model = self.dtcore.plan_parse(text)
  model = name and self.dtcore.model_find(name) or model
  for _, finding in ipairs(model and self.dtcore.plan_check(model, part.cluster, plan) or {}) do
    v.notes[#v.notes + 1] = self.dtcore.text(finding)
  end
  for _, line in ipairs(v.notes) do slurm.log_info("%s", "dtcore: " .. plain(line)) end
  return slurm.SUCCESS
end

-- What slurm_cli_pre_submit() returns. Never raises.
function M:advise(options, slurm, environment)
  return protected(slurm, "the plan", advise, self, options, slurm, environment or os.getenv)
end

return M
