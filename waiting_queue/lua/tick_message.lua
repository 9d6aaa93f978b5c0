-- The message of a tick for every server process: how the line looks now, and whose state changed since
-- the last message. Turns count up by one, so that a server notices a message that it missed.
--
-- KEYS     as in _line.lua
-- ARGV     most (changes in one message; the rest comes with the next)
-- Returns  {turn, epoch, state, drawing, absence_ms, head, last, waiting, lobby, ready, inside, admitted,
--          pace, mode, {lanes…}, {changes…}}; head is the number of the first in line, last the last one given, both in
--          everybody's lane; lanes are {id, head, last, waiting, share}, none for an event without lanes;
--          or {'lost'} while the line is being rebuilt
local most = tonumber(ARGV[1])

local epoch, state, drawing, absence, admitted, pace, mode, is_laned =
  unpack(redis.call('HMGET', meta, 'epoch', 'state', 'drawing', 'absence', 'admitted', 'pace', 'mode', 'laned'))
if not epoch then
  return { 'lost' }
end

-- The number of the first in a lane, the next to be given if nobody waits there; and the last number given.
local function ends_of(lane)
  local last = lane * LANE_NUMBERS + last_number(lane)
  local from, to = numbers_of_lane(lane)
  local first = redis.call('ZRANGEBYSCORE', line, from, to, 'WITHSCORES', 'LIMIT', 0, 1)
  return tonumber(first[2] or last + 1), last
end

local function lane_message(lane)
  local head, last = ends_of(lane)
  local waiting = redis.call('ZCOUNT', line, numbers_of_lane(lane))
  return { lane, head, last, waiting, tostring(of_lane(lane, 'share') or 1) }
end

local of_lanes = {}
for _, lane in ipairs(is_laned and lane_ids() or {}) do
  of_lanes[#of_lanes + 1] = lane_message(lane)
end
local head, last = ends_of(0)

return {
  redis.call('HINCRBY', meta, 'turn', 1), epoch, state, tonumber(drawing), tonumber(absence), head, last,
  redis.call('ZCARD', line), redis.call('ZCARD', lobby), redis.call('ZCARD', ready), redis.call('ZCARD', inside),
  tonumber(admitted or 0), pace or '', mode or '', of_lanes, redis.call('LPOP', changes, most) or {},
}
