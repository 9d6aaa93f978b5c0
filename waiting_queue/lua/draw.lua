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

-- Who has the place of a listed person, if it was handed over (keep_lot in _party.lua).
local function holder_of(listed)
  local holder = redis.call('HGET', parties, '@' .. minute .. ':' .. listed) or listed
  local has_lot_of = redis.call('HGET', parties, '=' .. minute .. ':' .. holder) or holder
  return has_lot_of == listed and holder
end

local holders = { unpack(ARGV, PEOPLE_FROM) }
if redis.call('EXISTS', parties) == 1 then
  for index, listed in ipairs(holders) do
    holders[index] = holder_of(listed) or ''
  end
end
local arrivals = #holders > 0 and redis.call('ZMSCORE', lobby, unpack(holders)) or {}

-- Whether somebody who came then is among those who are drawn.
local function is_drawn(arrival)
  if minute == 0 then
    return arrival < MINUTES_FROM
  end
  return arrival == MINUTES_FROM + minute
end

local people, places = {}, {}
for index, person in ipairs(holders) do
  local arrival = tonumber(arrivals[index] or math.huge)
  if is_drawn(arrival) then
    local listed, number = ARGV[PEOPLE_FROM + index - 1], first + before + index - 1
    number = number + lane_in_lobby(arrival) * LANE_NUMBERS
    people[#people + 1] = person
    places[#places + 1], places[#places + 2] = number, person
    write_journal('join', person, number, now, person ~= listed and listed or nil)
  end
end
if #people > 0 then
  redis.call('ZREM', lobby, unpack(people))
  redis.call('ZADD', line, unpack(places))
end

local field = 'drawn:' .. minute
local drawn = tonumber(redis.call('HGET', meta, field) or 0)
if #ARGV >= PEOPLE_FROM and drawn >= before then -- no part is missing
  drawn = math.max(drawn, before + #ARGV - PEOPLE_FROM + 1)
  redis.call('HSET', meta, field, drawn)
end
return { #people, drawn }
