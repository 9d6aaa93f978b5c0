-- Give a part of those who are drawn together their numbers, in the order computed from the published seed.
-- People who left meanwhile are skipped, also if they came again, unless a companion has their place; a repeat
-- changes nothing. Whoever came to a lane gets the number in it.
--
-- KEYS     as in _line.lua
-- ARGV     now_ms, first number, minute (0: the opening), then the people of this part in drawn order
-- Returns  how many were moved to the line
local now, first, minute = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

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
for index = 4, #ARGV do
  local listed, number = ARGV[index], first + index - 4
  local person = holder_of(listed)
  if person then
    number = number + lane_in_lobby(redis.call('ZSCORE', lobby, person)) * LANE_NUMBERS
    redis.call('ZREM', lobby, person)
    redis.call('ZADD', line, number, person)
    record('join', person, number, now, person ~= listed and listed or nil)
    moved = moved + 1
  end
end
return moved
