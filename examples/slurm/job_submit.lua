-- Slurm's job_submit/lua with dtcore: plans are checked when a job is submitted. Lies beside slurm.conf, with
-- dtcore_slurm.lua and dtcore_site.lua. Whatever is wrong with them, jobs pass: a script that raises while slurmctld starts
-- would be its end. After a change of the other files: touch job_submit.lua.
local self

local ok, problem = pcall(function()
  local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
  self = dofile(folder .. "dtcore_slurm.lua").open(folder, slurm.log_error)
end)
if not ok then
  self = nil
  pcall(function()
    slurm.log_error("%s", "dtcore: plans are not checked: " .. tostring(problem):gsub("%s*\n%s*", "; "):sub(1, 400))
  end)
end

function slurm_job_submit(job_desc, part_list, submit_uid)
  if self then return self:submit(job_desc, part_list, slurm) end
  return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
  return slurm.SUCCESS
end

return slurm.SUCCESS
