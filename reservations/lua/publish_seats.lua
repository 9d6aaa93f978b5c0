-- Publish the new state of seats after the commit: gate, free count, update stream, list version.
--
-- KEYS     gate, seats_left, seat_updates, version of the seat list, counted (new holds that the
--          count does not contain any more)
-- ARGV     letter (h held, s sold, a available), fan, until_ms (how long the gate is shut), change
--          of the free count, ttl_seconds, new version, version_ttl_seconds, then the seats
-- Returns  1
local gate, seats_left, seat_updates, version, counted = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local letter, fan, until_ms, change, ttl = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local new_version, version_ttl, FIRST = ARGV[6], ARGV[7], 8

for index = FIRST, #ARGV do
  local seat = ARGV[index]
  if letter ~= 'a' then
    redis.call('HSET', gate, seat, until_ms .. ':' .. fan .. ':' .. letter)
  else
    local owner = string.match(redis.call('HGET', gate, seat) or '', ':(%d*)')
    if owner == fan or owner == '' then -- otherwise somebody new has the seat already
      redis.call('HDEL', gate, seat)
    end
  end
end
if change < 0 then
  change = change + redis.call('SREM', counted, unpack(ARGV, FIRST))
end
if change ~= 0 and redis.call('EXISTS', seats_left) == 1 then
  redis.call('INCRBY', seats_left, change)
end
redis.call('XADD', seat_updates, 'MAXLEN', '~', 10000, '*', 'l', letter, 's', table.concat(ARGV, ',', FIRST))
redis.call('SET', version, new_version, 'EX', version_ttl)
redis.call('EXPIRE', gate, ttl)
redis.call('EXPIRE', seat_updates, ttl)
return 1
