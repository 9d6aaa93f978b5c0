-- Put the count of free seats right, unless something was told while it was counted.
--
-- KEYS     left, news
-- ARGV     free, the last piece of news before counting, seconds that the count is kept
-- Returns  1 if it is right now, 0 if it must be counted again
local left, news = KEYS[1], KEYS[2]

local last = redis.call('XREVRANGE', news, '+', '-', 'COUNT', 1)
if (last[1] and last[1][1] or '') ~= ARGV[2] and redis.call('EXISTS', left) == 1 then
  return 0
end
redis.call('SET', left, ARGV[1], 'EX', ARGV[3])
return 1
