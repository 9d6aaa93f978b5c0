-- Make these people those who come in without waiting; an operator's list, of a few people.
--
-- KEYS     as in _line.lua
-- ARGV     the people
-- Returns  how many there are
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return 0
end
redis.call('DEL', bypass)
if #ARGV > 0 then
  redis.call('SADD', bypass, unpack(ARGV))
end
redis.call('HSET', meta, 'bypass', #ARGV)
return #ARGV
