-- What the tests share: deep comparison, and a short form of values for messages.
local check = {}

local kind = math.type or type -- integer and float are different where Lua tells them apart

function check.shown(v)
  if type(v) ~= "table" then return type(v) == "string" and string.format("%q", v) or tostring(v) end
  local rows = {}
  for k, x in pairs(v) do rows[#rows + 1] = tostring(k) .. " = " .. check.shown(x) end
  table.sort(rows)
  return "{" .. table.concat(rows, ", ") .. "}"
end

-- nil when the same, else where they differ.
function check.difference(got, want, path)
  path = path or "it"
  if type(got) ~= "table" or type(want) ~= "table" then
    if kind(got) == kind(want) and (got == want or (got ~= got and want ~= want)) then return nil end
    return path .. " is " .. check.shown(got) .. ", not " .. check.shown(want)
  end
  for k, v in pairs(want) do
    local found = check.difference(got[k], v, path .. "." .. tostring(k))
    if found then return found end
  end
  for k, v in pairs(got) do
    if want[k] == nil then return path .. "." .. tostring(k) .. " is " .. check.shown(v) .. ", not nil" end
  end
  return nil
end

return check
