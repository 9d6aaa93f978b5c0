-- Open the gate again, if this buyer's attempt shut it.
--
-- KEYS     gate
-- ARGV     buyer
-- Returns  1 if it was opened, else 0
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
