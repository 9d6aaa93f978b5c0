-- Lanes: parts of an event's line, each with its share of the admissions; prepended to _line.lua.
--
-- A number says which lane it is in: lane * LANE_NUMBERS + the number within the lane. So the lanes lie one
-- after the other in the sorted set of the line, and marks, tokens and journal know them. In the lobby the
-- score does the same. Lane 0 is for everybody; an event without other lanes pays nothing for them.
--
-- KEYS  line   zset  people waiting, by number
--       lanes  hash  ids: "0 1 2"; clock: the start of the last call; and of each lane, as id:field,
--                    weight, opens (ms), last (number given), tag, called, share
local LANE_NUMBERS, LOBBY_LANE = 1e10, 1e13

local function lane_of(number)
  return math.floor(number / LANE_NUMBERS)
end

local function of_lane(id, field)
  return tonumber(redis.call('HGET', lanes, string.format('%d:%s', id, field)) or nil)
end

-- The next number at the end of a lane.
local function next_number(lane)
  if lane == 0 then
    return redis.call('INCR', counter)
  end
  return lane * LANE_NUMBERS + redis.call('HINCRBY', lanes, string.format('%d:last', lane), 1)
end

-- The numbers of a lane, as bounds of a range of scores.
local function numbers_of_lane(id)
  return string.format('%d', id * LANE_NUMBERS), string.format('(%d', (id + 1) * LANE_NUMBERS)
end

