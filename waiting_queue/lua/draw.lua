-- Give a part of those who are drawn together their numbers, in the order computed from the published seed.
-- People who left meanwhile are skipped, also if they came again, unless a companion has their place; a repeat
-- changes nothing. Whoever came to a lane gets the number in it.
--
-- Meta knows how far a draw has come: whoever goes on with it is told. After the line was rebuilt it begins anew.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, epoch, minute (0: the opening), the draw's first number, how many are listed before this part,
--          then the people of this part in drawn order
-- Returns  {how many were moved to the line, how many of the list had their turn so far}; the second is -1 if this
--          is not the line of that epoch: it was lost, or rebuilt
local now, epoch, minute = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local first, before = tonumber(ARGV[4]), tonumber(ARGV[5])
local PEOPLE_FROM = 6

if redis.call('HGET', meta, 'epoch') ~= epoch then
  return { 0, -1 }
end

local function is_drawn(person)
  local gathered = tonumber(redis.call('ZSCORE', lobby, person) or math.huge)
  if minute == 0 then
    return gathered < MINUTES_FROM
  end
  return gathered == MINUTES_FROM + minute
end

-- Who has the place of a listed person; nobody if they gave it up (keep_lot in _party.lua).
local function holder_of(listed)
  local holder = redis.call('HGET', parties, '@' .. minute .. ':' .. listed) or listed
  local has_lot_of = redis.call('HGET', parties, '=' .. minute .. ':' .. holder) or holder
  return has_lot_of == listed and is_drawn(holder) and holder
end

local moved = 0
for index = PEOPLE_FROM, #ARGV do
  local listed, number = ARGV[index], first + before + index - PEOPLE_FROM
  local person = holder_of(listed)
  if person then
    number = number + lane_in_lobby(redis.call('ZSCORE', lobby, person)) * LANE_NUMBERS
    redis.call('ZREM', lobby, person)
    redis.call('ZADD', line, number, person)
    record('join', person, number, now, person ~= listed and listed or nil)
    moved = moved + 1
  end
end

local field = 'drawn:' .. minute
local drawn = tonumber(redis.call('HGET', meta, field) or 0)
if #ARGV >= PEOPLE_FROM and drawn >= before then -- no part is missing
  drawn = math.max(drawn, before + #ARGV - PEOPLE_FROM + 1)
  redis.call('HSET', meta, field, drawn)
end
return { moved, drawn }
