-- On how many GPUs does a model fit?  lua5.4 fit.lua llama-2-70b h100-80gb
local dtcore = require "dtcore"

local model = dtcore.model_find(arg[1] or "llama-2-70b")
local cluster = dtcore.gpu_find(arg[2] or "h100-80gb")
local plan = {sharding = "zero3", recompute = "full"}

local fit, best = dtcore.memory_min_gpus(model, cluster, plan)
print(string.format("%d GPUs, %.2f of %.2f GiB each", fit.gpus, fit.device / 2^30, fit.capacity / 2^30))
print(dtcore.plan_format(best))
os.exit(fit.gpus > 0 and 0 or 1)
