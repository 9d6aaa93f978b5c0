-- Extend a lock by another lease, if the token still owns it.
--
-- KEYS     lock
-- ARGV     token, lease_ms
-- Returns  1 if the token owned it, else 0
local lock = KEYS[1]
local token, lease_ms = ARGV[1], ARGV[2]

if redis.call('GET', lock) ~= token then
  return 0
end
return redis.call('PEXPIRE', lock, lease_ms)
