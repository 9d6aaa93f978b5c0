-- Give a person a number. Joining twice keeps the first number. With room inside, nobody waiting and
-- a permit left, the person is admitted at once; in the mode "passthrough" everybody is, and whoever is on the
-- bypass list in any case. In the mode "draw all along" numbers are drawn at the end of the minute.
--
-- KEYS     as in _line.lua; the person's moves within a minute (leave.lua counts them); in a rush the solved challenge
-- ARGV     person, now_ms, moves allowed (0: no limit); their browser, which gets the pass; lane; in a rush solution_ms,
--          for how long the solution stays used
-- Returns  {outcome, standing}; outcome: joined, already, full, at_limit, not_open, over, lost, solution_used;
--          {blocked, reason}; {too_often, seconds until it is possible again}; {lane_not_open, ms of its opening}
local person, now = ARGV[1], tonumber(ARGV[2])
local moves, moves_allowed, browser = MORE_KEYS[1], tonumber(ARGV[3]), ARGV[4]
local lane, solved, solution_ms = tonumber(ARGV[5]), MORE_KEYS[2], ARGV[6]
local state, capacity, drawing, mode, minute_ends, bypassing, is_laned =
  unpack(redis.call('HMGET', meta, 'state', 'capacity', 'drawing', 'mode', 'minute_ends', 'bypass', 'laned'))

local function answer(outcome, place)
  return { outcome, standing(person, now, place) }
end

if not state then
  return { 'lost' }
end
if redis.call('HEXISTS', blocked, person) == 1 then
  return { 'blocked', redis.call('HGET', blocked, person) }
end
local place = place_of(person, now)
local is_new = place[1] == 'none' -- or it is long ago that they were here
if not is_new then
  local PRESENT = { lobby = true, waiting = true, ready = true, admitted = true }
  if PRESENT[place[1]] then
    redis.call('ZADD', seen, 'XX', now, person)
    keep_browser(person, place, browser)
    return answer('already', place)
  end
  if place[1] == 'at_limit' then
    return answer('at_limit', place)
  end
end
if not is_new and moves_allowed > 0 and tonumber(redis.call('GET', moves) or 0) >= moves_allowed then
  return { 'too_often', math.ceil(redis.call('PTTL', moves) / 1000) }
end
if state == 'scheduled' then
  return answer('not_open')
end
if state == 'closed' or state == 'draining' or mode == 'closed' then
  return answer('over')
end
local may_enter = state == 'open' and drawing ~= '1'
local bypasses = may_enter and tonumber(bypassing or 0) > 0 and rules('cap') > 0 and redis.call('SISMEMBER', bypass, person) == 1
local opens = 0
if is_laned or lane > 0 then
  opens = of_lane(lane, 'opens') -- none for a lane that the next tick will tell of
end
if not opens or (opens > now and not bypasses) then
  return { 'lane_not_open', opens or 0 }
end
local in_line, in_lobby = redis.call('ZCARD', line), redis.call('ZCARD', lobby)
if not bypasses and in_line + in_lobby >= tonumber(capacity) then
  return answer('full')
end
if solved and not redis.call('SET', solved, person, 'NX', 'PX', solution_ms) then
  return { 'solution_used' }
end

if place[4] > 0 then
  remove(person, 'expired', now) -- their pass or call ran out since the last tick
end
if not is_new and redis.call('ZREM', ended, person) == 1 then
  add_change(person, 0) -- their other open pages still say that they are out
end
redis.call('HINCRBY', meta, 'joined', 1)
if state == 'lobby' then
  redis.call('ZADD', lobby, lane * LOBBY_LANE + now, person)
  record('lobby', person, lane * LANE_NUMBERS, now)
  redis.call('ZADD', seen, now, person)
  return answer('joined')
end

if minute_ends then
  end_due_minute(now)
end
if mode == 'minute_draw' and lane == 0 and not bypasses then -- not together with lanes: each lane has its own order
  join_minute(person, now)
  return answer('joined')
end

local number = next_number(lane)
record('join', person, number, now)
if bypasses then
  record('bypass', person, number, now)
  redis.call('HINCRBY', meta, 'bypassed', 1)
  admit(person, number, now, nil, browser)
  return answer('joined')
end
local is_empty = in_line == 0 and redis.call('ZCARD', ready) == 0 and not first_undrawn()
if may_enter and (is_empty or mode == 'passthrough') and room() > 0 then
  local available, rate, refilled = permits(now)
  if available >= 1 then
    spend(1, now, available, rate, refilled)
    if is_laned then
      redis.call('HINCRBY', lanes, lane .. ':called', 1)
    end
    if is_laned and is_empty then -- nobody waits, so it is the lane's turn whatever it had before (_lane_turns.lua)
      local clock = tonumber(redis.call('HGET', lanes, 'clock') or 0)
      local start = math.max(of_lane(lane, 'tag') or 0, clock)
      local tag = string.format('%.17g', start + 1 / of_lane(lane, 'weight'))
      redis.call('HSET', lanes, lane .. ':tag', tag, 'clock', string.format('%.17g', start))
    end
    admit(person, number, now, nil, browser)
    return answer('joined')
  end
end
redis.call('ZADD', line, number, person)
redis.call('ZADD', seen, now, person)
return answer('joined', place_in_line(person, number, in_lobby))
