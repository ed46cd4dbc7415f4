-- A token bucket's refill, in the place where `-- include refill` stands (lib/limiter/scripts.ts): a call would cost as
-- much. Takes and changes level (micro-tokens) and time (µs); takes ceiling, gain, period, now and lead, the time (µs)
-- from which on a record is ahead of the clock by mistake.
if time > lead then
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
  -- Beyond 2^53 it is not exact, but far more than any that is missing.
  local gained = periods * gain
  if gained >= missing then
    level, time = ceiling, now
  else
    level, time = level + gained, time + periods * period
  end
end
