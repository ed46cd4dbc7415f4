-- The plain way that a check is measured against: a hash and a TTL for each rule, one after another, all or nothing.
--
-- KEYS  a key for each rule
-- ARGV  for each rule: tokens a second, burst
-- Returns 1 if all rules had a token, and each was charged; 0 if one had none, and none was charged.

local time = redis.call("TIME")
local now = time[1] + time[2] / 1000000
local left = {}
for i = 1, #KEYS do
  local rate, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local state = redis.call("HMGET", KEYS[i], "tokens", "at")
  local tokens = tonumber(state[1]) or burst
  local at = tonumber(state[2]) or now
  tokens = math.min(burst, tokens + (now - at) * rate)
  if tokens < 1 then
    return 0
  end
  left[i] = tokens - 1
end
for i = 1, #KEYS do
  local rate, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  redis.call("HSET", KEYS[i], "tokens", left[i], "at", now)
  redis.call("EXPIRE", KEYS[i], math.ceil(burst / rate) + 1)
end
return 1
