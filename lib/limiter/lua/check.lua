-- Decides checks one after another: of each it reads and refills all rules, and charges all or none of the enforced ones.
-- The same arithmetic as lib/core/decide.ts and what it calls; the record layout is lib/core/record.ts.
--
-- KEYS     the distinct state keys of all checks
-- ARGV[1]  packed, little-endian: test time f64 (µs, 0 = this server's clock), lists u16; then the distinct lists of
--          rules, each: rules u16, and for each rule what u8, slot u32, a u32, b u32, c u32, cost u32 (tokens) [, lend
--          u32 (tokens), and of what was lent before: generation u32, spent of what was granted in it u32 (tokens), in
--          the one before u32] [, pair u8]; then the checks, each: runs u16, expiry f64 (µs: later than this, nothing is
--          charged; 0 = none), lease u8 (ARGV[1 + lease] names the request in flight; 0 = none), and for each of its
--          keys a run: key u16 (index in KEYS), list u16 (its rules there)
-- what     1 enforced (else shadow) + 2 force or 4 refund + the algorithm + 32 if lend follows + 64 if pair follows:
--           0 token bucket: a = gain (micro-tokens), b = period (µs), c = burst (tokens)
--           8 fixed window: a = start, b = end (s; the window asked for, of a refund that of the take), c = quota
--          16 sliding window: a = start of the take's window (s; of a refund), b = length (s), c = quota
--          24 concurrency: b = lease (s), c = quota; alone in its list, its key is a sorted set of lease ends (µs)
-- pair     a shadow rule with an enforced one's number is its candidate
--
-- Returns {now, code, run, run, ..., code, ...}: now in µs; for each check its code (1 allowed, 0 refused, 2 expired, 3 a
-- fixed window that is not now's) and, unless it is 2 or 3, for each run what it found before it charged: the value, or
-- false, or of requests in flight their number. The caller has the same arithmetic and works out the rest.
--
-- floor(x) is written x - x % 1, ceil(x) is x + -x % 1: exact for doubles, and no call.

local MICRO = 1000000
local LEAD_MAX = 5000000
local FULL_AT_MAX = 4294967295
local COUNT = "<I2"
local CHECK = "<I2dB"
local RUN = "<I2I2"
local RULE = "<BI4I4I4I4I4"
local RUN_SIZE = 4
local PARTS = 8
local FIXED, SLIDING, IN_FLIGHT = 8, 16, 24
-- A record, and its kind and size read as one number.
local PLAIN, LEASED, WITH_PREVIOUS = "<I2I4I4dd", "<I2I4I4ddddI4", "<I2I4I4ddd"
local IS_PLAIN, IS_LEASED, IS_FIXED, IS_SLIDING = 26 * 256 + 1, 46 * 256 + 2, 26 * 256 + 3, 34 * 256 + 4
-- Formats of so many plain records, whose kind, size and slot are read as one number.
local MANY = {}
local pack, read, concat = struct.pack, struct.unpack, table.concat

-- Returns a value's records of the run's rules in the order of the rules, and apart from them the records that
-- the run does not carry, with their last fullAt. It takes nothing from around it: that would cost every check.
local function putInOrder(value, ruleParts, firstRule, lastRule, now)
  local read, pack = struct.unpack, struct.pack
  local algorithms, records, rest, last = {}, {}, "", 0
  for rule = firstRule, lastRule, 8 do
    local special = ruleParts[rule + 6]
    algorithms[ruleParts[rule + 1]] = special and special.algorithm or 0
  end
  local cursor, size = 1, value and #value or 0
  while cursor + 9 <= size do
    local kind, length, slot, fullAt = read("<BBI4I4", value, cursor)
    if length < 10 or cursor + length - 1 > size then
      break
    end
    if fullAt * 1000000 > now then
      local record = value:sub(cursor, cursor + length - 1)
      local algorithm = false
      if kind == 1 and length == 26 or kind == 2 and length == 46 then
        algorithm = 0
      elseif kind == 3 and length == 26 then
        algorithm = 8
      elseif kind == 4 and length == 34 then
        algorithm = 16
      end
      if algorithm and algorithms[slot] then
        if algorithms[slot] == algorithm then
          records[slot] = record
        end
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
  for rule = firstRule, lastRule, 8 do
    local slot = ruleParts[rule + 1]
    local record = records[slot]
    if not record and algorithms[slot] == 16 then
      record = pack("<BBI4I4ddd", 4, 34, slot, 0, 0, 0, 0)
    end
    ordered = ordered .. (record or pack("<BBI4I4dd", algorithms[slot] == 8 and 3 or 1, 26, slot, 0, 0, 0))
  end
  return ordered, rest, last
end

-- A window's level, time and previous as of now. `level`: false where nothing is stored.
local function present(special, a, b, now, level, time, previous)
  local MICRO = 1000000
  if special.algorithm == 8 then
    local start = a * MICRO
    if special.op == 4 and (now < start or now >= b * MICRO) then
      return level or 0, level and time or start, 0
    end
    return level and time >= start and level or 0, start, 0
  end
  local length = b * MICRO
  local start = now - now % length
  if not level then
    return 0, start, 0
  elseif time == start then
    return level, start, previous
  elseif time > start then
    return level + previous, start, 0
  end
  return 0, start, time >= start - length and level or 0
end

-- Whether a rule that is more than a plain token bucket has its cost.
local function hasCost(special, b, capacity, cost, now, level, time, previous)
  if special.op ~= 0 then
    return true
  elseif special.algorithm == 0 then
    return level >= cost
  elseif special.algorithm == 8 then
    return level + cost <= capacity
  end
  local length = b * 1000000
  return previous * ((time + length - now) / length) + level + cost <= capacity
end

-- The level after its charge, and of a token bucket its leases.
local function charge(special, a, capacity, cost, now, level, time, current, previous, generation)
  local MICRO = 1000000
  if special.algorithm == 0 then
    if special.op == 2 then
      level = level > cost and level - cost or 0
    elseif special.op == 4 then
      local ceiling = capacity - (current + previous)
      if ceiling < 0 then
        ceiling = 0
      end
      level = level + cost
      if level > ceiling then
        level = ceiling
      end
    else
      level = level - cost
      if special.spent and current + previous > 0 then
        local age = generation - special.spentIn
        current = current - (age == 0 and special.spent or 0)
        previous = previous - (age == 0 and special.spentBefore or age == 1 and special.spent or 0)
        if current < 0 then
          current = 0
        end
        if previous < 0 then
          previous = 0
        end
        if current + previous == 0 then
          generation = 0
        end
      end
      local lent = level / MICRO
      lent = lent - lent % 1
      if lent > special.lend then
        lent = special.lend
      end
      if lent > 0 then
        local second = (now - now % MICRO) / MICRO
        if second > generation then
          generation = second
        end
        level, current = level - lent * MICRO, current + lent * MICRO
      end
    end
  elseif special.op == 4 then
    if time == a * MICRO then
      level = level > cost and level - cost or 0
    end
  elseif special.op == 2 then
    local taken = level + cost
    if taken > capacity then
      taken = capacity
    end
    if taken > level then
      level = taken
    end
  else
    level = level + cost
  end
  return level, current, previous, generation
end

-- A value with one record replaced, and the last fullAt of all: what a candidate changes after a refusal.
local function withRecord(value, slot, record, fullAt, now)
  local read = struct.unpack
  local kept, last = "", fullAt
  local cursor, size = 1, value and #value or 0
  while cursor + 9 <= size do
    local kind, length, otherSlot, otherFullAt = read("<BBI4I4", value, cursor)
    if length < 10 or cursor + length - 1 > size then
      break
    end
    if otherFullAt * 1000000 > now and not (otherSlot == slot and kind <= 4) then
      kept = kept .. value:sub(cursor, cursor + length - 1)
      if otherFullAt > last then
        last = otherFullAt
      end
    end
    cursor = cursor + length
  end
  return kept .. record, last
end

-- Notes a request in flight until the end of its lease.
local function addLease(key, id, lease, now)
  local MICRO = 1000000
  local call = redis.call
  call("ZREMRANGEBYSCORE", key, "-inf", string.format("%.0f", now))
  call("ZADD", key, string.format("%.0f", now + lease * MICRO), id)
  local last = tonumber(call("ZRANGE", key, -1, -1, "WITHSCORES")[2]) / MICRO
  call("EXPIRE", key, last + -last % 1 - (now - now % MICRO) / MICRO)
end

local input = ARGV[1]
local now, lists, at = read("<dI2", input)
if now == 0 then
  local time = redis.call("TIME")
  now = time[1] * MICRO + time[2]
end

-- Checks mostly share lists: each is read once. Of each list, where its rules begin and end in `ruleParts`, which
-- holds eight parts of each: enforced, slot, a, b, c, cost, what makes it more than a plain token bucket, or false,
-- and the head of its record as such a one. Few tables: each costs more than a read.
local listEnds, ruleParts = { 0, 0 }, { 0, 0, 0, 0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, false, 0 }
-- Lists of requests in flight, and lists that name a window which is not now's: mostly there are none.
local inFlight, elsewhen = false, false
-- Of lists of nothing but plain buckets, their number; else false.
local plain = { 0, 0 }
local total = 0
for list = 1, lists do
  local rules
  rules, at = read(COUNT, input, at)
  listEnds[2 * list - 1] = total + 1
  local isPlain = true
  for part = total + 1, total + rules * PARTS, PARTS do
    local what, slot, a, b, c, cost
    what, slot, a, b, c, cost, at = read(RULE, input, at)
    local special, enforced = false, what
    if what > 1 then
      isPlain = false
      enforced = what % 2
      local op = what % 8 - enforced
      local algorithm = what % 32 - what % 8
      local lend, spentIn, spent, spentBefore, pair = 0, 0, 0, 0, 0
      if what % 64 >= 32 then
        lend, spentIn, spent, spentBefore, at = read("<I4I4I4I4", input, at)
      end
      if what >= 64 then
        pair, at = read("<B", input, at)
      end
      -- A number or false, so that one look tells.
      local isWindow = (algorithm == FIXED or algorithm == SLIDING) and algorithm
      special = { algorithm = algorithm, isWindow = isWindow, op = op, lend = lend, pair = pair }
      if spent + spentBefore > 0 then
        special.spentIn, special.spent, special.spentBefore = spentIn, spent * MICRO, spentBefore * MICRO
      end
      if algorithm == IN_FLIGHT then
        inFlight = inFlight or {}
        inFlight[list] = true
      elseif algorithm == FIXED and op ~= 4 and (now < a * MICRO or now >= b * MICRO) then
        elsewhen = elsewhen or {}
        elsewhen[list] = true
      end
    end
    if not special or special.algorithm == 0 then
      c, cost = c * MICRO, cost * MICRO
    end
    ruleParts[part], ruleParts[part + 1], ruleParts[part + 2] = enforced, slot, a
    ruleParts[part + 3], ruleParts[part + 4], ruleParts[part + 5] = b, c, cost
    ruleParts[part + 6], ruleParts[part + 7] = special, IS_PLAIN + slot * 65536
  end
  total = total + rules * PARTS
  listEnds[2 * list] = total
  plain[list] = isPlain and rules
  for size = 1, isPlain and rules or 0 do
    MANY[size] = MANY[size] or "<" .. string.rep("I6I4dd", size)
  end
end

local values
if KEYS[2] or inFlight then
  -- It has nil for what is no string.
  values = redis.call("MGET", unpack(KEYS))
elseif KEYS[1] then
  values = { redis.call("GET", KEYS[1]) }
end

local reply, n = { now, nil, nil, nil, nil, nil, nil, nil }, 1
-- By key, what the checks so far leave to be written: until when it lasts. The value itself is in `values`.
local fullAts = {}
-- Of each run of the current check, what it will leave if the check is allowed: key, value, until when it lasts.
local left = { 0, 0, 0 }
-- Of the current run. Joined once: Lua hashes every string that it makes, byte by byte.
local records = { 0, 0, 0, 0 }
local flat = { 0, 0, 0, 0, 0, 0, 0, 0 }
local nowSeconds, lead = now / MICRO, now + LEAD_MAX
local inputEnd = #input
while at <= inputEnd do
  local ownRuns, expiry, lease
  ownRuns, expiry, lease, at = read(CHECK, input, at)
  local checkEnd = at + ownRuns * RUN_SIZE
  n = n + 1
  local codeAt, code, leftEnd = n, 1, 0
  local refusals, refusingPair = 0, 0
  -- Requests in flight to be noted, and what candidates would leave: mostly there are none.
  local joining, candidates = false, false
  if expiry > 0 and now > expiry then
    code, at = 2, checkEnd
  elseif elsewhen then
    for run = at, checkEnd - 1, RUN_SIZE do
      local _, list = read(RUN, input, run)
      if elsewhen[list] then
        code, at = 3, checkEnd
        break
      end
    end
  end
  while at < checkEnd do
    local key, list
    key, list, at = read(RUN, input, at)
    local firstRule, lastRule = listEnds[2 * list - 1], listEnds[2 * list]
    local isPlain = true
    if inFlight and inFlight[list] then
      local held = redis.call("ZCOUNT", KEYS[key], string.format("(%.0f", now), "+inf")
      n = n + 1
      reply[n] = held
      local enforced, pair = ruleParts[firstRule], ruleParts[firstRule + 6].pair
      if held + ruleParts[firstRule + 5] <= ruleParts[firstRule + 4] then
        joining = joining or {}
        joining[#joining + 1] = { key = KEYS[key], lease = ruleParts[firstRule + 3], pair = enforced == 0 and pair or 0 }
      elseif enforced == 1 then
        code, refusals, refusingPair = 0, refusals + 1, pair
      end
    else
      n = n + 1
      reply[n] = values[key] or false
      isPlain = plain[list] and (not values[key] or #values[key] == plain[list] * 26)
    end
    if isPlain and not (inFlight and inFlight[list]) then
      -- Nothing but plain buckets, and none other beside them: the usual case, in the fewest steps.
      local value = values[key]
      local stored = value and { read(MANY[plain[list]], value) }
      local firstCode, firstRefusals, firstPair = code, refusals, refusingPair
      local part, last, isCharged = 1, 0, false
      for rule = firstRule, lastRule, PARTS do
        local gain, period, capacity = ruleParts[rule + 2], ruleParts[rule + 3], ruleParts[rule + 4]
        local cost, head = ruleParts[rule + 5], ruleParts[rule + 7]
        local level, time = capacity, now
        if stored then
          if stored[part] ~= head then
            isPlain = false
            break
          end
          if stored[part + 1] > nowSeconds then
            level, time = stored[part + 2], stored[part + 3]
            local ceiling = capacity
            -- include refill
          end
        end
        if level >= cost then
          level = level - cost
          isCharged = true
        elseif ruleParts[rule] == 1 then
          code, refusals, refusingPair = 0, refusals + 1, 0
        end
        if code == 1 then
          -- A shadow rule's full bucket is not kept: the other way knows how.
          if level >= capacity then
            isPlain = false
            break
          end
          local periods = (capacity - level) / gain
          local fullAt = (time + (periods + -periods % 1) * period) / MICRO
          fullAt = fullAt + -fullAt % 1
          if fullAt > last then
            last = fullAt
          end
          flat[part], flat[part + 1], flat[part + 2], flat[part + 3] = head, fullAt, level, time
        end
        part = part + 4
      end
      if not isPlain or last > FULL_AT_MAX then
        isPlain = false
        code, refusals, refusingPair = firstCode, firstRefusals, firstPair
      elseif isCharged and code == 1 then
        left[leftEnd + 1], left[leftEnd + 3] = key, last
        left[leftEnd + 2] = pack(MANY[plain[list]], unpack(flat, 1, part - 1))
        leftEnd = leftEnd + 3
      end
    end
    if not isPlain then
      local value, rest, restLast = values[key], "", 0
      local firstCode, firstRefusals, firstPair = code, refusals, refusingPair
      local firstCandidates = candidates and #candidates
      local count, last, isCharged, isInOrder
      -- Of the current rule, where it is more than a plain token bucket or has leases out.
      local current, previous, generation, lasts = 0, 0, 0, 0
      -- Records normally stand in the order of the rules that wrote them, and are read so. Where they do not, they
      -- are put in order once.
      for attempt = 1, 2 do
        code, refusals, refusingPair = firstCode, firstRefusals, firstPair
        count, last, isCharged, isInOrder = 0, 0, false, true
        local cursor, valueEnd = 1, value and #value or 0
        for rule = firstRule, lastRule, PARTS do
          local slot, gain, period = ruleParts[rule + 1], ruleParts[rule + 2], ruleParts[rule + 3]
          local capacity, cost, special = ruleParts[rule + 4], ruleParts[rule + 5], ruleParts[rule + 6]
          local isWindow = special and special.isWindow
          -- `out` on leases: where there are any, `current`, `previous` and `generation` say more.
          local level, time, out = capacity, now, 0
          if special then
            level, current, previous, generation, lasts = not isWindow and capacity, 0, 0, 0, 0
          end
          if value then
            if cursor + 25 > valueEnd then
              isInOrder = false
              break
            end
            local kind, found, fullAt, storedLevel, storedTime = read(PLAIN, value, cursor)
            if found ~= slot then
              isInOrder = false
              break
            end
            if kind == IS_PLAIN and not isWindow then
              cursor = cursor + 26
            elseif kind == IS_LEASED and not isWindow and cursor + 45 <= valueEnd then
              current, previous, generation = read("<ddI4", value, cursor + 26)
              cursor = cursor + 46
              local age = (now - now % MICRO) / MICRO - generation
              if fullAt * MICRO <= now or age > 1 or age == 1 and current == 0 then
                current, previous, generation = 0, 0, 0
              elseif age == 1 then
                current, previous, generation = 0, current, generation + 1
              end
              out = current + previous
            elseif kind == IS_FIXED and isWindow == FIXED then
              cursor = cursor + 26
            elseif kind == IS_SLIDING and isWindow == SLIDING and cursor + 33 <= valueEnd then
              previous = read("<d", value, cursor + 26)
              cursor = cursor + 34
            else
              isInOrder = false
              break
            end
            if fullAt * MICRO > now then
              level, time = storedLevel, storedTime
              if isWindow then
                lasts = fullAt
              else
                local ceiling = capacity - out
                if ceiling < 0 then
                  ceiling = 0
                end
                -- include refill
              end
            end
          end
          if isWindow then
            level, time, previous = present(special, gain, period, now, level, time, previous)
          end
          local passes
          if special then
            passes = hasCost(special, period, capacity, cost, now, level, time, previous)
          else
            passes = level >= cost
          end
          if not passes then
            if ruleParts[rule] == 1 then
              code, refusals = 0, refusals + 1
              refusingPair = special and special.pair or 0
            end
          elseif special then
            level, current, previous, generation = charge(special, gain, capacity, cost, now, level, time, current, previous, generation)
            out = isWindow and 0 or current + previous
            isCharged = true
          else
            level = level - cost
            isCharged = true
          end
          local isCandidate = special and passes and special.pair > 0 and ruleParts[rule] == 0
          if code == 1 or isCandidate then
            local record, fullAt
            if isWindow then
              if level > 0 or previous > 0 then
                if isWindow == FIXED then
                  local isOther = special.op == 4 and time ~= gain * MICRO
                  fullAt = isOther and lasts or period
                  record = pack(PLAIN, IS_FIXED, slot, fullAt, level, time)
                else
                  fullAt = time / MICRO + (level > 0 and 2 or 1) * period
                  record = pack(WITH_PREVIOUS, IS_SLIDING, slot, fullAt, level, time, previous)
                end
              end
            elseif level < capacity or out > 0 then
              local periods = (capacity - level) / gain
              fullAt = (time + (periods + -periods % 1) * period) / MICRO
              fullAt = fullAt + -fullAt % 1
              if out > 0 and fullAt < generation + 2 then
                fullAt = generation + 2
              end
              if fullAt > FULL_AT_MAX then
                fullAt = FULL_AT_MAX
              end
              if out > 0 then
                record = pack(LEASED, IS_LEASED, slot, fullAt, level, time, current, previous, generation)
              else
                record = pack(PLAIN, IS_PLAIN, slot, fullAt, level, time)
              end
            end
            if isCandidate then
              candidates = candidates or {}
              candidates[#candidates + 1] =
                { key = key, slot = slot, record = record or "", fullAt = fullAt or 0, pair = special.pair }
            end
            if code == 1 and record then
              if fullAt > last then
                last = fullAt
              end
              count = count + 1
              records[count] = record
            end
          end
        end
        if isInOrder and cursor > valueEnd then
          break
        end
        isInOrder = false
        if attempt == 1 then
          value, rest, restLast = putInOrder(value, ruleParts, firstRule, lastRule, now)
          while candidates and #candidates > (firstCandidates or 0) do
            candidates[#candidates] = nil
          end
        end
      end
      if not isInOrder and value then
        return redis.error_reply("ERR records could not be put in order")
      end
      if isCharged then
        left[leftEnd + 1], left[leftEnd + 2] = key, rest .. concat(records, "", 1, count)
        left[leftEnd + 3] = restLast > last and restLast or last
        leftEnd = leftEnd + 3
      end
    end
  end
  reply[codeAt] = code
  if code == 1 then
    for run = 1, leftEnd, 3 do
      values[left[run]], fullAts[left[run]] = left[run + 1], left[run + 2]
    end
    if joining then
      for _, one in ipairs(joining) do
        addLease(one.key, ARGV[1 + lease], one.lease, now)
      end
    end
  elseif code == 0 and refusals == 1 and refusingPair > 0 then
    -- Only the live rule refused: in its candidate's world it is not there.
    for _, one in ipairs(candidates or {}) do
      if one.pair == refusingPair then
        values[one.key], fullAts[one.key] = withRecord(values[one.key], one.slot, one.record, one.fullAt, now)
      end
    end
    for _, one in ipairs(joining or {}) do
      if one.pair == refusingPair then
        addLease(one.key, ARGV[1 + lease], one.lease, now)
      end
    end
  end
end

local seconds = (now - now % MICRO) / MICRO
for key = 1, #KEYS do
  if fullAts[key] then
    if fullAts[key] > seconds then
      redis.call("SET", KEYS[key], values[key], "EX", fullAts[key] - seconds)
    else
      redis.call("DEL", KEYS[key])
    end
  end
end
return reply
