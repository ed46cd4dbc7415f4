-- Decides all rules of one request: reads, refills, and charges all or none of the enforced ones.
-- The same arithmetic as lib/core/decide.ts and bucket.ts; the record layout is lib/core/record.ts.
--
-- KEYS     the request's distinct state keys
-- ARGV[1]  packed, little-endian: test time f64 (µs, 0 = this server's clock), expiry f64 (µs: later than this,
--          nothing is charged; 0 = none), then for each rule: key u16 (index in KEYS), enforced u8 (0 = shadow),
--          slot u32, gain u32 (micro-tokens), period u32 (µs), burst u32 (tokens), cost u32 (tokens)
--
-- Returns {code, now, level, time, level, time, ...}: code 1 allowed, 0 refused, 2 expired; now in µs;
-- for each rule its level (micro-tokens) and time (µs), refilled and not yet charged.

local MICRO = 1000000
local LEAD_MAX = 5000000
local FULL_AT_MAX = 4294967295
local RULE = "<I2BI4I4I4I4I4"
local RULE_HEAD = "<I2BI4"
local RULE_SIZE = 23
local HEAD = "<BBI4I4"
local PLAIN = "<BBI4I4dd"
local floor, ceil = math.floor, math.ceil
local pack, read = struct.pack, struct.unpack

local input = ARGV[1]
local now, expiry, firstRule = read("<dd", input)
if now == 0 then
  local time = redis.call("TIME")
  now = time[1] * MICRO + time[2]
end
if expiry > 0 and now > expiry then
  return { 2, now }
end

local values
if KEYS[2] then
  values = redis.call("MGET", unpack(KEYS))
elseif KEYS[1] then
  values = { redis.call("GET", KEYS[1]) }
else
  values = {}
end

-- Records normally stand in the order of the rules that wrote them, and are read so. Where they do not, they
-- are put in order once (below), with the records of other rules aside in `others`.
local others, othersFullAt
local code, reply, written, fullAtOf, isCharged, isInOrder
for attempt = 1, 2 do
  code, isInOrder = 1, true
  reply = { 1, now, nil, nil, nil, nil, nil, nil }
  written, fullAtOf, isCharged = { false, false }, { 0, 0 }, { false, false }
  local cursors = { 1, 1 }
  local at, result = firstRule, 3
  while at <= #input do
    local k, enforced, slot, gain, period, burst, cost
    k, enforced, slot, gain, period, burst, cost, at = read(RULE, input, at)
    local capacity = burst * MICRO
    cost = cost * MICRO
    local value = values[k]
    local level, time, outstanding = capacity, now, 0
    if value then
      local cursor = cursors[k] or 1
      if cursor + 25 > #value then
        isInOrder = false
        break
      end
      local kind, length, found, fullAt, storedLevel, storedTime = read(PLAIN, value, cursor)
      if found ~= slot or not (kind == 1 and length == 26 or kind == 2 and length == 34 and cursor + 33 <= #value) then
        isInOrder = false
        break
      end
      cursors[k] = cursor + length
      if fullAt * MICRO > now then
        level, time = storedLevel, storedTime
        if kind == 2 then
          outstanding = read("<d", value, cursor + 26)
        end
        local ceiling = capacity - outstanding
        if ceiling < 0 then
          ceiling = 0
        end
        if time > now + LEAD_MAX then
          time = now
        end
        local missing = ceiling - level
        if missing <= 0 then
          level = ceiling
          if time < now then
            time = now
          end
        else
          local periods = 0
          if time < now then
            periods = floor((now - time) / period)
          end
          if periods >= ceil(missing / gain) then
            level, time = ceiling, now
          else
            level, time = level + periods * gain, time + periods * period
          end
        end
      end
    end
    reply[result], reply[result + 1] = level, time
    result = result + 2
    if level >= cost then
      level = level - cost
      isCharged[k] = true
    elseif enforced == 1 then
      code = 0
    end
    if code == 1 and level < capacity then
      local fullAt = ceil((time + ceil((capacity - level) / gain) * period) / MICRO)
      if fullAt > FULL_AT_MAX then
        fullAt = FULL_AT_MAX
      end
      local record
      if outstanding > 0 then
        record = pack("<BBI4I4ddd", 2, 34, slot, fullAt, level, time, outstanding)
      else
        record = pack(PLAIN, 1, 26, slot, fullAt, level, time)
      end
      written[k] = written[k] and written[k] .. record or record
      if fullAt > (fullAtOf[k] or 0) then
        fullAtOf[k] = fullAt
      end
    end
  end
  if isInOrder then
    for k = 1, #KEYS do
      if values[k] and (cursors[k] or 1) <= #values[k] then
        isInOrder = false
      end
    end
  end
  if isInOrder then
    break
  end
  if attempt == 1 then
    others, othersFullAt = {}, {}
    for k = 1, #KEYS do
      local isCarried, records, rest, last = {}, {}, "", 0
      at = firstRule
      while at <= #input do
        local key, _, slot, next = read(RULE_HEAD, input, at)
        if key == k then
          isCarried[slot] = true
        end
        at = at + RULE_SIZE
      end
      local value = values[k] or ""
      local cursor, size = 1, #value
      while cursor + 9 <= size do
        local kind, length, slot, fullAt = read(HEAD, value, cursor)
        if length < 10 or cursor + length - 1 > size then
          break
        end
        if fullAt * MICRO > now then
          local record = value:sub(cursor, cursor + length - 1)
          if isCarried[slot] and (kind == 1 and length == 26 or kind == 2 and length == 34) then
            records[slot] = record
          else
            rest = rest .. record
            if fullAt > last then
              last = fullAt
            end
          end
        end
        cursor = cursor + length
      end
      local ordered = ""
      at = firstRule
      while at <= #input do
        local key, _, slot = read(RULE_HEAD, input, at)
        if key == k then
          ordered = ordered .. (records[slot] or pack(PLAIN, 1, 26, slot, 0, 0, 0))
        end
        at = at + RULE_SIZE
      end
      values[k], others[k], othersFullAt[k] = ordered, rest, last
    end
  end
end
if not isInOrder then
  return redis.error_reply("ERR records could not be put in order")
end
reply[1] = code

if code == 1 then
  local seconds = floor(now / MICRO)
  for k = 1, #KEYS do
    if isCharged[k] then
      local value, fullAt = written[k], fullAtOf[k]
      if others then
        value = others[k] .. value
        if othersFullAt[k] > fullAt then
          fullAt = othersFullAt[k]
        end
      end
      redis.call("SET", KEYS[k], value, "EX", fullAt - seconds)
    end
  end
end
return reply
