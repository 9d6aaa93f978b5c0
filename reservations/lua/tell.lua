-- Say what became of seats, once it is true in the database.
--
-- KEYS     gate, left, news, version of the seat list
-- ARGV     letter: h held, s sold, a available; fan; until_ms: until when the gate is shut;
--          change of the seats left; seconds that all this is kept; the new version, and the seconds
--          that it is kept; the seats
-- Returns  1
local gate, left, news, version = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local letter, fan, until_ms, change, kept = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local new_version, version_seconds, FIRST = ARGV[6], ARGV[7], 8

for index = FIRST, #ARGV do
  local seat = ARGV[index]
  if letter ~= 'a' then
    redis.call('HSET', gate, seat, until_ms .. ':' .. fan)
  else
    local owner = string.match(redis.call('HGET', gate, seat) or '', ':(.*)$')
    if owner == fan or owner == '' then -- else somebody new has it already
      redis.call('HDEL', gate, seat)
    end
  end
end
if change ~= 0 and redis.call('EXISTS', left) == 1 then
  redis.call('INCRBY', left, change)
end
redis.call('XADD', news, 'MAXLEN', '~', 10000, '*', 'l', letter, 's', table.concat(ARGV, ',', FIRST))
redis.call('SET', version, new_version, 'EX', version_seconds)
redis.call('EXPIRE', gate, kept)
redis.call('EXPIRE', news, kept)
return 1
