-- Let a fan attempt to hold seats, unless somebody else has them or is attempting it. All or none.
--
-- KEYS     gate, seats_left, attempts of this fan
-- ARGV     fan, now_ms, until_ms (when the attempt expires), max_attempts per window (0: any
--          number), window_ms, then the seats; none where any seats will do
-- Returns  {'go'}, {'sold_out'}, {'taken', seats…} or {'too_often', ms until the window ends}
local gate, seats_left, attempts = KEYS[1], KEYS[2], KEYS[3]
local fan, now, until_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local max_attempts, window_ms, FIRST = tonumber(ARGV[4]), ARGV[5], 6

local count = redis.call('INCR', attempts) -- also tells the seat page that there may be a hold
if count == 1 then
  redis.call('PEXPIRE', attempts, window_ms)
end
if max_attempts > 0 and count > max_attempts then
  return { 'too_often', tostring(redis.call('PTTL', attempts)) }
end

local taken, expired = {}, 0
for index = FIRST, #ARGV do
  local entry = redis.call('HGET', gate, ARGV[index])
  if entry then
    local ends, owner = string.match(entry, '^(%d+):(.*)$')
    if tonumber(ends) <= now then
      expired = expired + 1 -- an expired hold that no task has released yet: the seat can be had
    elseif owner ~= fan then
      taken[#taken + 1] = ARGV[index]
    end
  end
end
if #taken > 0 then
  return { 'taken', unpack(taken) }
end
local free = redis.call('GET', seats_left)
if free and tonumber(free) <= 0 and expired == 0 then
  return { 'sold_out' }
end
for index = FIRST, #ARGV do
  redis.call('HSET', gate, ARGV[index], until_ms .. ':' .. fan)
end
return { 'go' }
