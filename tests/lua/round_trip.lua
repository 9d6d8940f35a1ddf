-- Makes the calls that round_trip wrote, one a line. usage: round_trip.lua MODULE_FILE CASES_FILE
package.path = arg[0]:match("^(.*/)") .. "?.lua"
package.cpath = arg[1]
local dtcore, check = require "dtcore", require "check"
local load, unpack = loadstring or load, unpack or table.unpack
NAN = -(0 / 0)

-- The largest integer that this Lua holds.
local most = math.maxinteger or 2^53

local function pack(...)
  return {n = select("#", ...), ...}
end

local function problem(name, args, widest, results, err)
  local f = dtcore[name]
  if type(f) ~= "function" then return "there is no dtcore." .. name end
  local got = pack(pcall(f, unpack(args, 1, args.n)))
  if math.type and math.type(widest) == "float" or widest > most then
    err, results = {code = "range"}, nil
  end
  if results then
    if not got[1] then return "raised " .. tostring(got[2]) end
    if got.n - 1 ~= results.n then return "gave " .. got.n - 1 .. " results" end
    return check.difference({n = got.n - 1, unpack(got, 2, got.n)}, results)
  end
  if got[1] then return "succeeded, but should say " .. check.shown(err) end
  if type(got[2]) ~= "table" or type(got[2].zh) ~= "string" then return "raised no error table" end
  if tostring(got[2]) ~= got[2].text then return "tostring() is not the text" end
  if err.text then return check.difference(got[2], err) end
  for k, v in pairs(err) do
    if got[2][k] ~= v then return k .. " is " .. check.shown(got[2][k]) .. ", not " .. check.shown(v) end
  end
end

local passed, failed = 0, 0
for line in io.lines(arg[2]) do
  local name, args, widest, results, err = assert(load(line))()
  local found = problem(name, args, widest, results, err)
  if found then
    failed = failed + 1
    if failed <= 10 then print(name .. ": " .. found .. "\n  " .. line:sub(1, 2000)) end
  else
    passed = passed + 1
  end
end
print(passed .. " passed, " .. failed .. " failed")
os.exit(failed == 0 and passed > 0 and 0 or 1)
