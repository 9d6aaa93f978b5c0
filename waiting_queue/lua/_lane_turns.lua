-- What lanes need in the scripts that hand out turns or tell of all lanes; between _lanes.lua and _line.lua.

local function lane_ids()
  local ids = {}
  for id in string.gmatch(redis.call('HGET', lanes, 'ids') or '', '%d+') do
    ids[#ids + 1] = tonumber(id)
  end
  return ids
end

local function set_of_lane(id, field, value)
  redis.call('HSET', lanes, string.format('%d:%s', id, field), value)
end

-- Write the lanes that begin at ARGV[first]: id, weight and opens of each. Returns whether there are any now
-- that were not known.
local function set_lanes(first)
  local ids, before = {}, redis.call('HGET', lanes, 'ids')
  for index = first, #ARGV, 3 do
    ids[#ids + 1] = ARGV[index]
    set_of_lane(ARGV[index], 'weight', ARGV[index + 1])
    set_of_lane(ARGV[index], 'opens', ARGV[index + 2])
  end
  local known = table.concat(ids, ' ')
  redis.call('HSET', lanes, 'ids', known)
  return known ~= before
end

-- Those lanes of an event that are open, each with what the rule between them needs. `is_laned` is what
-- the meta says: without lanes nothing is read.
local function open_lanes(is_laned, now)
  if not is_laned then
    return { { id = 0, weight = 1, tag = 0 } }, 0
  end
  local open = {}
  for _, id in ipairs(lane_ids()) do
    if of_lane(id, 'opens') <= now then
      open[#open + 1] = { id = id, weight = of_lane(id, 'weight'), tag = of_lane(id, 'tag') or 0 }
    end
  end
  return open, tonumber(redis.call('HGET', lanes, 'clock') or 0)
end

-- Which lane with people left in `heads` gets the next admission: the one whose next call starts first, where a
-- call takes 1/weight (start-time fair queuing). As long as two lanes have people, their calls differ by no more
-- than one of each from their weights, however late or seldom ticks are. The share of an empty lane goes to the
-- others, and it gets no credit for that time: no call starts before the clock, the start of the last one.
local function fairest_lane(open, clock)
  local best, start
  for _, lane in ipairs(open) do
    local next_start = math.max(lane.tag, clock)
    if lane.read < #lane.heads and (not best or next_start < start) then
      best, start = lane, next_start
    end
  end
  return best, start
end

-- Count a call of this lane; returns the clock.
local function charge_lane(lane, start)
  lane.tag = start + 1 / lane.weight
  set_of_lane(lane.id, 'tag', string.format('%.17g', lane.tag))
  redis.call('HINCRBY', lanes, string.format('%d:called', lane.id), 1)
  redis.call('HSET', lanes, 'clock', string.format('%.17g', start))
  return start
end

-- What estimates need: the part of all calls that each open lane gets, as people wait now.
local function update_shares(open)
  local total, waits = 0, {}
  for _, lane in ipairs(open) do
    waits[lane.id] = redis.call('ZCOUNT', line, numbers_of_lane(lane.id)) > 0
    total = total + (waits[lane.id] and lane.weight or 0)
  end
  for _, lane in ipairs(open) do
    local others = waits[lane.id] and total or total + lane.weight
    set_of_lane(lane.id, 'share', string.format('%.6f', lane.weight / others))
  end
end

-- The last number given in a lane, counted within it.
local function last_number(lane)
  return lane == 0 and tonumber(redis.call('GET', counter) or 0) or of_lane(lane, 'last') or 0
end
