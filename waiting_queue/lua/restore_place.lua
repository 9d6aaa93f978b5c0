-- Put a person back into the line with a number that was given to them and lost with Redis before it was
-- journalled. The caller has checked their token and the journal.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms, number (0 within its lane: a place in the lobby, or among those of a minute)
-- Returns  standing
local person, now, number = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local state, mode = rules('state', 'mode')
local place = place_of(person, now)
local PRESENT = { lobby = true, waiting = true, ready = true, admitted = true }
local in_lane = number % LANE_NUMBERS
local is_given = in_lane > 0 and in_lane <= last_number(lane_of(number))

if PRESENT[place[1]] or not state or redis.call('HEXISTS', blocked, person) == 1 then
  return standing(person, now, place)
end
local into_lobby = in_lane == 0 and state == 'lobby'
local into_minute = number == 0 and mode == 'minute_draw' and (state == 'open' or state == 'paused')
local into_line = is_given and state ~= 'closed' and redis.call('ZCOUNT', line, number, number) == 0
if not (into_lobby or into_minute or into_line) then
  return standing(person, now, place)
end
if place[4] > 0 then
  remove(person, 'expired', now) -- their pass or call ran out since the last tick
end
if into_lobby then
  redis.call('ZADD', lobby, lane_of(number) * LOBBY_LANE + now, person)
  record('lobby', person, number, now)
elseif into_minute then
  end_due_minute(now)
  join_minute(person, now)
else
  redis.call('ZADD', line, number, person)
  record('join', person, number, now)
  skip_turn() -- the ranks behind change
end
redis.call('ZREM', ended, person)
redis.call('ZADD', seen, now, person)
redis.call('HINCRBY', meta, 'joined', 1)
return standing(person, now)
