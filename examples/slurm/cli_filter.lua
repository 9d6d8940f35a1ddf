-- Slurm's cli_filter/lua with dtcore: what job_submit.lua would refuse is told on the submit host already, with what is
-- likely to be slow. Lies beside slurm.conf there, with dtcore_slurm.lua and dtcore_site.lua. Whatever is wrong with them,
-- sbatch, srun and salloc go on.
local self

local ok, problem = pcall(function()
  local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
  self = dofile(folder .. "dtcore_slurm.lua").open(folder, function() end) -- the controller logs broken rows
end)
if not ok then
  self = nil
  pcall(function()
    slurm.log_error("%s", "dtcore: plans are not checked: " .. tostring(problem):gsub("%s*\n%s*", "; "):sub(1, 400))
  end)
end

function slurm_cli_setup_defaults(options, early_pass)
  return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, pack_offset)
  if self then return self:advise(options, slurm) end
  return slurm.SUCCESS
end

function slurm_cli_post_submit(pack_offset, job_id, step_id)
  return slurm.SUCCESS
end

return slurm.SUCCESS
