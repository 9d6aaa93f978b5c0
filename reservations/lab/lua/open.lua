-- Open the gate again, if it is one's own try that shut it.
--
-- KEYS     gate
-- ARGV     buyer
-- Returns  1 if it is open now, else 0
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
