-- Let a fan try for seats, unless somebody else has them or is trying. All or none.
--
-- KEYS     gate, left, tries of this fan
-- ARGV     fan, now_ms, until_ms: how long the try may take; how many tries there are within
--          how many ms, 0 for any number; the seats, none where any will do
-- Returns  {'go'}, {'sold_out'}, {'taken', seats…} or {'too_often', ms until it is not}
local gate, left, tries = KEYS[1], KEYS[2], KEYS[3]
local fan, now, until_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local most, window, FIRST = tonumber(ARGV[4]), ARGV[5], 6

if most > 0 then
  local count = redis.call('INCR', tries)
  if count == 1 then
    redis.call('PEXPIRE', tries, window)
  end
  if count > most then
    return { 'too_often', tostring(redis.call('PTTL', tries)) }
  end
end

local taken, run_out = {}, 0
for index = FIRST, #ARGV do
  local entry = redis.call('HGET', gate, ARGV[index])
  if entry then
    local ends, owner = string.match(entry, '^(%d+):(.*)$')
    if tonumber(ends) <= now then
      run_out = run_out + 1 -- a hold that is over: to be had, though nobody has cleared it away yet
    elseif owner ~= fan then
      taken[#taken + 1] = ARGV[index]
    end
  end
end
if #taken > 0 then
  return { 'taken', unpack(taken) }
end
local free = redis.call('GET', left)
if free and tonumber(free) <= 0 and run_out == 0 then
  return { 'sold_out' }
end
for index = FIRST, #ARGV do
  redis.call('HSET', gate, ARGV[index], until_ms .. ':' .. fan)
end
return { 'go' }
