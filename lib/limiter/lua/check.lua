-- Decides all rules of one request: reads, refills, and charges all or none of the enforced ones.
-- The same arithmetic as lib/core/decide.ts and bucket.ts; the record layout is lib/core/record.ts.
--
-- KEYS     the request's distinct state keys
-- ARGV[1]  test time in µs, 0 = this server's clock
-- ARGV[2]  expiry in µs: later than this, nothing is charged; 0 = none
-- ARGV     then seven for each rule: key (index in KEYS), slot, role (1 enforced, 0 shadow),
--          gain (micro-tokens), period (µs), capacity (micro-tokens), cost (micro-tokens)
--
-- Returns {code, now, level, time, level, time, ...}: code 1 allowed, 0 refused, 2 expired; now in µs;
-- for each rule its level and time, refilled and not yet charged.

local LEAD_MAX = 5000000
local FULL_AT_MAX = 4294967295
local floor, ceil = math.floor, math.ceil
local pack, unpackStruct = struct.pack, struct.unpack

local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call("TIME")
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local expiry = tonumber(ARGV[2])
if expiry > 0 and now > expiry then
  return { 2, now }
end

local values
if #KEYS == 1 then
  values = { redis.call("GET", KEYS[1]) }
elseif #KEYS > 1 then
  values = redis.call("MGET", unpack(KEYS))
end

local count = (#ARGV - 2) / 7
local keyOf, slotOf, capacityOf, gainOf, periodOf, costOf = {}, {}, {}, {}, {}, {}
local level, time, outstanding = {}, {}, {}
local ruleAt = {}
for k = 1, #KEYS do
  ruleAt[k] = {}
end
for i = 1, count do
  local at = 7 * i - 4
  local k = tonumber(ARGV[at])
  local slot = tonumber(ARGV[at + 1])
  keyOf[i] = k
  slotOf[i] = slot
  ruleAt[k][slot] = i
  gainOf[i] = tonumber(ARGV[at + 3])
  periodOf[i] = tonumber(ARGV[at + 4])
  capacityOf[i] = tonumber(ARGV[at + 5])
  costOf[i] = tonumber(ARGV[at + 6])
end

-- Records of rules that this call does not carry stay as they are until they are full.
local kept, latest = {}, {}
for k = 1, #KEYS do
  local value = values[k]
  local others, last = "", 0
  if value then
    local at, size = 1, #value
    while at + 9 <= size do
      local kind, length, slot, fullAt = unpackStruct("<BBI4I4", value, at)
      if length < 10 or at + length - 1 > size then
        break
      end
      if fullAt * 1000000 > now then
        local isBucket = (kind == 1 and length == 26) or (kind == 2 and length == 34)
        local i = isBucket and ruleAt[k][slot]
        if i then
          level[i], time[i] = unpackStruct("<dd", value, at + 10)
          outstanding[i] = kind == 2 and unpackStruct("<d", value, at + 26) or 0
        else
          others = others .. value:sub(at, at + length - 1)
          if fullAt > last then
            last = fullAt
          end
        end
      end
      at = at + length
    end
  end
  kept[k], latest[k] = others, last
end

local code = 1
local reply = { code, now }
for i = 1, count do
  local capacity = capacityOf[i]
  local l, t = level[i], time[i]
  if l then
    local ceiling = capacity - outstanding[i]
    if ceiling < 0 then
      ceiling = 0
    end
    if t > now + LEAD_MAX then
      t = now
    end
    local missing = ceiling - l
    if missing <= 0 then
      l = ceiling
      if t < now then
        t = now
      end
    else
      local periods = 0
      if t < now then
        periods = floor((now - t) / periodOf[i])
      end
      if periods >= ceil(missing / gainOf[i]) then
        l, t = ceiling, now
      else
        l, t = l + periods * gainOf[i], t + periods * periodOf[i]
      end
    end
  else
    l, t = capacity, now
    outstanding[i] = 0
  end
  level[i], time[i] = l, t
  reply[2 * i + 1], reply[2 * i + 2] = l, t
  if l < costOf[i] and ARGV[7 * i - 2] == "1" then
    code = 0
  end
end
reply[1] = code
if code == 0 then
  return reply
end

local isCharged = {}
for i = 1, count do
  if level[i] >= costOf[i] then
    level[i] = level[i] - costOf[i]
    isCharged[keyOf[i]] = true
  end
end
for i = 1, count do
  local k = keyOf[i]
  if isCharged[k] and level[i] < capacityOf[i] then
    local full = time[i] + ceil((capacityOf[i] - level[i]) / gainOf[i]) * periodOf[i]
    local fullAt = ceil(full / 1000000)
    if fullAt > FULL_AT_MAX then
      fullAt = FULL_AT_MAX
    end
    if outstanding[i] > 0 then
      kept[k] = kept[k] .. pack("<BBI4I4ddd", 2, 34, slotOf[i], fullAt, level[i], time[i], outstanding[i])
    else
      kept[k] = kept[k] .. pack("<BBI4I4dd", 1, 26, slotOf[i], fullAt, level[i], time[i])
    end
    if fullAt > latest[k] then
      latest[k] = fullAt
    end
  end
end
local seconds = floor(now / 1000000)
for k in pairs(isCharged) do
  redis.call("SET", KEYS[k], kept[k], "EX", latest[k] - seconds)
end
return reply
