-- The site's GPUs, for job_submit.lua and cli_filter.lua. Partitions that are not here are not checked.
return {
  mode = "enforce", -- refuse what cannot run; "warn" only tells the user
  fill = true,      -- nodes, GPUs and tasks that a batch job with a plan left open
  -- modules = "/opt/dtcore/lib/lua/5.1", -- where dtcore.so lies, when not beside this file or where Lua looks
  -- default = "h100", -- partition of jobs that name none, for cli_filter.lua: Slurm tells it only to job_submit.lua
  partitions = {
    -- cluster: a name of `dtcore clusters`; or gpu: a name of `dtcore gpus`. Beside it fields of dtc_cluster, which count for
    -- more: gpus_per_node, nodes (that a job may have), usable (bytes of a GPU), nvlink_domain. mode and fill of its own.
    -- h100 = {cluster = "dgx-h100", nodes = 64},
    -- a100 = {gpu = "a100-80gb", gpus_per_node = 4, usable = 78 * 2^30, mode = "warn"},
    -- ["*"] = {cluster = "dgx-h200"}, -- all others
  },
}
