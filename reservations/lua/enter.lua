-- Let a fan try for seats, unless somebody else has them or is trying. All or none.
--
-- KEYS     gate, left
-- ARGV     fan, now_ms, until_ms: how long the try may take; the seats, none where any will do
-- Returns  {'go'}, {'sold_out'} or {'taken', seats…}
local gate, left = KEYS[1], KEYS[2]
local fan, now, until_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local taken, run_out = {}, 0
for index = 4, #ARGV do
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
for index = 4, #ARGV do
  redis.call('HSET', gate, ARGV[index], until_ms .. ':' .. fan)
end
return { 'go' }
