-- Make these people those who are not called until they verify who they are.
--
-- KEYS     as in _line.lua
-- ARGV     the people
-- Returns  how many there are
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return 0
end
redis.call('DEL', unverified)
for _, person in ipairs(ARGV) do
  redis.call('SADD', unverified, person)
end
redis.call('HSET', meta, 'unverified', #ARGV)
return #ARGV
