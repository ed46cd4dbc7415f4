-- The plain way that the check is measured against: a hash and a TTL for each rule, one after another.
--
-- KEYS  a key for each rule
-- ARGV  for each rule: tokens a second, burst
-- Returns 1 if all rules had a token, 0 if not; a rule that had one was charged either way.

local time = redis.call("TIME")
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local allowed = 1
for i = 1, #KEYS do
  local rate = tonumber(ARGV[2 * i - 1])
  local burst = tonumber(ARGV[2 * i])
  local state = redis.call("HMGET", KEYS[i], "tokens", "at")
  local tokens = tonumber(state[1]) or burst
  local at = tonumber(state[2]) or now
  tokens = math.min(burst, tokens + (now - at) * rate)
  if tokens >= 1 then
    tokens = tokens - 1
  else
    allowed = 0
  end
  redis.call("HSET", KEYS[i], "tokens", tostring(tokens), "at", tostring(now))
  redis.call("EXPIRE", KEYS[i], math.ceil(burst / rate) + 1)
end
return allowed
