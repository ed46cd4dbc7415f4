-- Makes requests in flight last their time from now on, also such as the set has lost.
--
-- KEYS[1]  a sorted set of lease ends (µs)
-- ARGV     the name of a request in flight, its lease (s), the next name, ...

local MICRO = 1000000
local time = redis.call("TIME")
local now = time[1] * MICRO + time[2]
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", string.format("%.0f", now))
for at = 1, #ARGV, 2 do
  redis.call("ZADD", KEYS[1], string.format("%.0f", now + ARGV[at + 1] * MICRO), ARGV[at])
end
local last = tonumber(redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")[2]) / MICRO
redis.call("EXPIRE", KEYS[1], last + -last % 1 - time[1])
