-- Microseconds that examples/slurm takes of slurmctld for a job: its plan read, judged on the partition's GPUs, the job filled.
-- usage: lua_check.lua FOLDER_OF_SCRIPTS FOLDER_OF_MODULE. The least of several repetitions, with the collector running: its work
-- is part of the price. The job is a table here: what Slurm takes to read and write its fields is not counted.
local folder, modules = arg[1], arg[2]
local site = {modules = modules, partitions = {h100 = {cluster = "dgx-h100"}}}
local read = loadfile
function loadfile(name)
  if name:find("dtcore_site%.lua$") then return function() return site end end
  return read(name)
end
local self = dofile(folder .. "/dtcore_slurm.lua").open(folder .. "/", error)
local slurm = {SUCCESS = 0, ERROR = -1, log_user = error, log_error = error}

local comment = "dtcore: model=llama-3-70b megatron tp=8 pp=4 dp=16 mbs=1 gbs=1024 seq=4096 recompute=selective"
local open = {num_tasks = 4294967294, min_nodes = 4294967294, max_nodes = 4294967294, ntasks_per_node = 65534}
local job = {comment = comment, partition = "h100", script = "", spank_job_env_size = 0}

local function check()
  for name, value in pairs(open) do job[name] = value end
  job.tres_per_node, job.environment = nil, {}
  return self:submit(job, {}, slurm)
end

assert(check() == slurm.SUCCESS and job.num_tasks == 512 and job.min_nodes == 64)
local least, calls = math.huge, 2000
for _ = 1, 25 do
  local start = os.clock()
  for _ = 1, calls do check() end
  least = math.min(least, (os.clock() - start) / calls * 1e6)
end
print(string.format("%.3f", least))
