-- Microseconds of one dtcore.plan_check(). usage: check_us.lua MODULE_FILE
-- The least of several repetitions, with the collector running: its work is part of the price.
package.cpath = arg[1]
local dtcore = require "dtcore"

local model, cluster = dtcore.model_find("llama-3-70b"), dtcore.cluster_find("dgx-h100")
local plan = {framework = "megatron", tp = 8, pp = 4, dp = 16, micro_batch = 1, global_batch = 1024, seq = 4096,
              recompute = "selective"}
local least, calls = math.huge, 2000
for _ = 1, 25 do
  local start = os.clock()
  for _ = 1, calls do dtcore.plan_check(model, cluster, plan) end
  least = math.min(least, (os.clock() - start) / calls * 1e6)
end
print(string.format("%.3f", least))
