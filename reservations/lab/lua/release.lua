-- Give a lock back, if it is still one's own, and wake one of those who wait for it.
--
-- KEYS     lock, bell
-- ARGV     token, milliseconds that a bell which nobody hears is kept
-- Returns  1 if it was one's own, else 0
local lock, bell = KEYS[1], KEYS[2]
local token, kept_ms = ARGV[1], ARGV[2]

if redis.call('GET', lock) ~= token then
  return 0
end
redis.call('DEL', lock)
if redis.call('EXISTS', bell) == 0 then
  redis.call('RPUSH', bell, 1)
  redis.call('PEXPIRE', bell, kept_ms)
end
return 1
