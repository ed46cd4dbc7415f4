-- Decides checks one after another: of each it reads and refills all rules, and charges all or none of the enforced ones.
-- The same arithmetic as lib/core/decide.ts and bucket.ts; the record layout is lib/core/record.ts.
--
-- KEYS     the distinct state keys of all checks
-- ARGV[1]  packed, little-endian: test time f64 (µs, 0 = this server's clock), lists u16; then the distinct lists of
--          rules, each: rules u16, and for each rule enforced u8 (0 = shadow), slot u32, gain u32 (micro-tokens),
--          period u32 (µs), burst u32 (tokens), cost u32 (tokens); then the checks, each: runs u16, expiry f64 (µs:
--          later than this, nothing is charged; 0 = none), and for each of its keys a run: key u16 (index in KEYS),
--          list u16 (its rules there)
--
-- Returns {now, code, level, time, level, time, ..., code, ...}: now in µs; for each check its code (1 allowed,
-- 0 refused, 2 expired) and, unless it expired, for each rule its level (micro-tokens) and time (µs), refilled and
-- not yet charged.
--
-- floor(x) is written x - x % 1, ceil(x) is x + -x % 1: exact for doubles, and no call.

-- Returns a value's records of the run's rules in the order of the rules, and apart from them the records that
-- the run does not carry, with their last fullAt. It takes nothing from around it: that would cost every check.
local function putInOrder(value, ruleParts, firstRule, lastRule, now)
  local read, pack = struct.unpack, struct.pack
  local isCarried, records, rest, last = {}, {}, "", 0
  for rule = firstRule, lastRule, 6 do
    isCarried[ruleParts[rule + 1]] = true
  end
  local cursor, size = 1, #value
  while cursor + 9 <= size do
    local kind, length, slot, fullAt = read("<BBI4I4", value, cursor)
    if length < 10 or cursor + length - 1 > size then
      break
    end
    if fullAt * 1000000 > now then
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
  for rule = firstRule, lastRule, 6 do
    local slot = ruleParts[rule + 1]
    ordered = ordered .. (records[slot] or pack("<BBI4I4dd", 1, 26, slot, 0, 0, 0))
  end
  return ordered, rest, last
end

local MICRO = 1000000
local LEAD_MAX = 5000000
local FULL_AT_MAX = 4294967295
local COUNT = "<I2"
local CHECK = "<I2d"
local RUN = "<I2I2"
local RULE = "<BI4I4I4I4I4"
local RUN_SIZE = 4
-- A record, and its kind and size read as one number: 1 and 26, or with leases out 2 and 34.
local PLAIN, LEASED = "<I2I4I4dd", "<I2I4I4ddd"
local IS_PLAIN, IS_LEASED = 26 * 256 + 1, 34 * 256 + 2
local pack, read, concat = struct.pack, struct.unpack, table.concat

local input = ARGV[1]
local now, lists, at = read("<dI2", input)
if now == 0 then
  local time = redis.call("TIME")
  now = time[1] * MICRO + time[2]
end

local values
if KEYS[2] then
  values = redis.call("MGET", unpack(KEYS))
elseif KEYS[1] then
  values = { redis.call("GET", KEYS[1]) }
end

-- Checks mostly share lists: each is read once. Of each list, where its rules begin and end in `ruleParts`, which
-- holds six parts of each: enforced, slot, gain, period, capacity, cost. Few tables: each costs more than a read.
local listEnds, ruleParts = { 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
local total = 0
for list = 1, lists do
  local rules
  rules, at = read(COUNT, input, at)
  listEnds[2 * list - 1] = total + 1
  for part = total + 1, total + rules * 6, 6 do
    local enforced, slot, gain, period, burst, cost
    enforced, slot, gain, period, burst, cost, at = read(RULE, input, at)
    ruleParts[part], ruleParts[part + 1], ruleParts[part + 2] = enforced, slot, gain
    ruleParts[part + 3], ruleParts[part + 4], ruleParts[part + 5] = period, burst * MICRO, cost * MICRO
  end
  total = total + rules * 6
  listEnds[2 * list] = total
end

local reply, n = { now, nil, nil, nil, nil, nil, nil, nil }, 1
-- By key, what the checks so far leave to be written: until when it lasts. The value itself is in `values`.
local fullAts = {}
-- Of each run of the current check, what it will leave if the check is allowed: key, value, until when it lasts.
local left = { 0, 0, 0 }
-- Of the current run. Joined once: Lua hashes every string that it makes, byte by byte.
local records = { 0, 0, 0, 0 }
local inputEnd = #input
while at <= inputEnd do
  local ownRuns, expiry
  ownRuns, expiry, at = read(CHECK, input, at)
  local checkEnd = at + ownRuns * RUN_SIZE
  n = n + 1
  local codeAt, code, leftEnd = n, 1, 0
  if expiry > 0 and now > expiry then
    code, at = 2, checkEnd
  end
  while at < checkEnd do
    local key, list
    key, list, at = read(RUN, input, at)
    local firstRule, lastRule = listEnds[2 * list - 1], listEnds[2 * list]
    local value, rest, restLast = values[key], "", 0
    local firstReply, firstCode = n, code
    local count, last, isCharged, isInOrder
    -- Records normally stand in the order of the rules that wrote them, and are read so. Where they do not, they
    -- are put in order once.
    for attempt = 1, 2 do
      n, code = firstReply, firstCode
      count, last, isCharged, isInOrder = 0, 0, false, true
      local cursor, valueEnd = 1, value and #value or 0
      for rule = firstRule, lastRule, 6 do
        local slot, gain, period = ruleParts[rule + 1], ruleParts[rule + 2], ruleParts[rule + 3]
        local capacity, cost = ruleParts[rule + 4], ruleParts[rule + 5]
        local level, time, outstanding = capacity, now, 0
        if value then
          if cursor + 25 > valueEnd then
            isInOrder = false
            break
          end
          local kind, found, fullAt, storedLevel, storedTime = read(PLAIN, value, cursor)
          if found ~= slot or kind ~= IS_PLAIN and (kind ~= IS_LEASED or cursor + 33 > valueEnd) then
            isInOrder = false
            break
          end
          if fullAt * MICRO > now then
            level, time = storedLevel, storedTime
            if kind == IS_LEASED then
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
                periods = (now - time) / period
                periods = periods - periods % 1
              end
              if periods >= missing / gain then
                level, time = ceiling, now
              else
                level, time = level + periods * gain, time + periods * period
              end
            end
          end
          cursor = cursor + (kind == IS_PLAIN and 26 or 34)
        end
        reply[n + 1], reply[n + 2] = level, time
        n = n + 2
        if level >= cost then
          level = level - cost
          isCharged = true
        elseif ruleParts[rule] == 1 then
          code = 0
        end
        if code == 1 and level < capacity then
          local periods = (capacity - level) / gain
          local fullAt = (time + (periods + -periods % 1) * period) / MICRO
          fullAt = fullAt + -fullAt % 1
          if fullAt > FULL_AT_MAX then
            fullAt = FULL_AT_MAX
          end
          if fullAt > last then
            last = fullAt
          end
          count = count + 1
          if outstanding > 0 then
            records[count] = pack(LEASED, IS_LEASED, slot, fullAt, level, time, outstanding)
          else
            records[count] = pack(PLAIN, IS_PLAIN, slot, fullAt, level, time)
          end
        end
      end
      if isInOrder and cursor > valueEnd then
        break
      end
      isInOrder = false
      if attempt == 1 then
        value, rest, restLast = putInOrder(value, ruleParts, firstRule, lastRule, now)
      end
    end
    if not isInOrder and value then
      return redis.error_reply("ERR records could not be put in order")
    end
    if isCharged then
      left[leftEnd + 1], left[leftEnd + 2] = key, rest .. (count == 1 and records[1] or concat(records, "", 1, count))
      left[leftEnd + 3] = restLast > last and restLast or last
      leftEnd = leftEnd + 3
    end
  end
  reply[codeAt] = code
  if code == 1 then
    for run = 1, leftEnd, 3 do
      values[left[run]], fullAts[left[run]] = left[run + 1], left[run + 2]
    end
  end
end

local seconds = (now - now % MICRO) / MICRO
for key = 1, #KEYS do
  if fullAts[key] then
    redis.call("SET", KEYS[key], values[key], "EX", fullAts[key] - seconds)
  end
end
return reply
