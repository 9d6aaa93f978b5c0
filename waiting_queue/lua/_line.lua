-- Keys and functions that all scripts of an event's line share. What a script uses of them is prepended to it, each
-- key as a local variable of its name (store/scripts.py). `MORE_KEYS` are a script's own, after these.
--
-- KEYS  meta     hash    the rules as of the last tick, the token bucket, and counts
--       lobby    zset    people before the opening, by when they came, or before a draw (_minutes.lua)
--       line     zset    people waiting, by number
--       ready    zset    people whose turn it is, by the time until which they may claim
--       inside   zset    people inside, by the time their pass ends
--       seen     zset    everybody in lobby or line, by their last heartbeat
--       called   hash    person -> number:admitted_ms:leader, of those ready or inside; of those inside also
--                        :take-overs:browser, which browser has the pass and how often it was taken over
--       ended    zset    people who are out, by when and how
--       blocked  hash    person -> reason
--       counter  string  the last number given
--       journal  stream  what happened, until it is copied to PostgreSQL
--       changes  list    person:number of those whose state changed since the last tick message
--       at_limit set     people who have as many seats as a person may have
--       minutes  zset    minutes that have ended and are not drawn yet, by their first number
--       demoted  hash    person -> old number:batch:new number:reason, of those moved to the end of the line
--       bypass   set     people who come in without waiting
--       companions hash  companion -> leader, of parties in lobby or line
--       parties  hash    leader -> companions in order of joining; #number -> called members who may still come;
--                        @pool:person -> who has the place of somebody listed in a draw, =pool:person -> whose they
--                        have; pool is the minute, 0 for the opening
--       lanes    hash    as in _lanes.lua
--       unverified set   people who are not called until they verify who they are

-- Of `_party.lua`, which follows only in scripts that take people out of lobby or line.
local hand_over, leave_party

-- Whether this start of this server wrote the line.
local function is_same_server()
  local run_id = redis.call('HGET', meta, 'run_id')
  return not run_id or string.find(redis.call('INFO', 'server'), 'run_id:' .. run_id, 1, true) ~= nil
end

-- Write down which start of which server writes the line. Returns whether it is no other than before.
local function note_server()
  if not is_same_server() then
    return false
  end
  local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  redis.call('HSET', meta, 'run_id', run_id, 'saved', redis.call('LASTSAVE'))
  return true
end

-- A server that was started again, or took over from another, may lack the last second: numbers would be given
-- twice. Nobody can say what it lacks, so the line counts as lost and is rebuilt from the journal. The run id is
-- read only if the time of the last save changed, as it does at every start: that costs far less to read.
local function require_same_server()
  local is_known = redis.call('HGET', meta, 'saved') == tostring(redis.call('LASTSAVE'))
  if not is_known and redis.call('EXISTS', meta) == 1 and not note_server() then
    redis.call('DEL', meta)
  end
end
require_same_server()

-- Unused permits are kept for this long only; permits of ticks that did not run are not lost.
local KEPT_MS = 1000
local MISSED_MS = 60000
-- Permits of those who were called and did not come are given back up to so much: with more than
-- three no-shows in four, fewer people enter than the rate says.
local GIVEN_BACK_MS = 3000
-- Scores in the lobby from here on are minutes (_minutes.lua), and sort behind all times.
local MINUTES_FROM = 1e15
-- With more changes than this, servers read the whole line instead.
local CHANGES_KEPT = 20000

-- Leave a gap in the turns: every server that follows the line reads the whole of it again.
local function skip_turn()
  redis.call('DEL', changes)
  redis.call('HINCRBY', meta, 'turn', 1)
end

-- Reserve numbers for everybody in the lobby in the same step that ends it: later joins come after them.
local function reserve_lobby_numbers(now)
  if redis.call('HEXISTS', meta, 'lobby_first') == 0 then
    local people, given = redis.call('ZCARD', lobby), tonumber(redis.call('GET', counter) or 0)
    for _, id in ipairs(lane_ids()) do
      given = math.max(given, of_lane(id, 'last') or 0)
    end
    local last = given + people
    redis.call('SET', counter, last)
    for _, id in ipairs(lane_ids()) do
      set_of_lane(id, 'last', last) -- they get the same numbers in their lanes
    end
    redis.call('HSET', meta, 'lobby_first', last - people + 1, 'lobby_last', last, 'refilled', now)
  end
end

-- Write the rules that begin at ARGV[first], and the lanes after them.
local function set_rules(first, now)
  local epoch, state, drawing, capacity, rate, cap, claim, pass, pass_max, absence, lines, limit, mode, most =
    unpack(ARGV, first, first + 13)
  if state == 'lobby' and redis.call('HEXISTS', meta, 'lobby_first') == 1 then
    return -- read before the lobby ended: nobody may enter it any more
  end
  local was_drawing = redis.call('HGET', meta, 'drawing') == '1'
  redis.call(
    'HSET', meta, 'epoch', epoch, 'state', state, 'drawing', drawing, 'capacity', capacity, 'rate', rate, 'cap', cap,
    'claim', claim, 'pass', pass, 'pass_max', pass_max, 'absence', absence, 'lines', lines, 'limit', limit,
    'mode', mode, 'companions', most
  )
  if #ARGV >= first + 14 and set_lanes(first + 14) then
    redis.call('HSET', meta, 'laned', 1)
    skip_turn() -- servers read the lanes, too
  end
  if drawing == '1' then
    reserve_lobby_numbers(now)
  elseif was_drawing then
    skip_turn() -- the whole lobby is in line now
  end
end

local function rules(...)
  local values = redis.call('HMGET', meta, ...)
  for index = 1, #values do
    values[index] = tonumber(values[index]) or values[index]
  end
  return unpack(values)
end

local function add_changes(...)
  if redis.call('RPUSH', changes, ...) > CHANGES_KEPT then
    skip_turn()
  end
end

local function add_change(person, number)
  add_changes(person .. ':' .. number)
end

local function write_journal(kind, person, number, now, leader)
  if leader then
    redis.call('XADD', journal, '*', 'k', kind, 'p', person, 'n', number, 't', now, 'l', leader)
  else
    redis.call('XADD', journal, '*', 'k', kind, 'p', person, 'n', number, 't', now)
  end
end

-- Write to the journal, and tell the pages. A join changes nobody else's place; everything else is a change.
-- `leader` is that of the person's party, if they are in one, or whose place in a draw they have. `freed` is the
-- number that nobody has from now on, if it is not this one; 0: none.
local function record(kind, person, number, now, leader, freed)
  write_journal(kind, person, number, now, leader)
  if kind ~= 'join' and kind ~= 'lobby' then
    add_change(person, freed or number)
  end
end

-- Returns  number, admitted_ms (0 where there is none), whose place it is: a companion has the leader's; the
--          leader of the party with which the person was called, if any; take-overs of the pass, its browser: nil
--          for whoever was not called, never for whoever was
local function number_of(person)
  local mark = redis.call('HGET', called, person)
  if mark then
    local number, admitted, leader, moves, browser = string.match(mark, '^(%d+):(%d+):?([^:]*):?(%d*):?(.*)$')
    leader = leader ~= '' and leader or nil
    return tonumber(number), tonumber(admitted), person, leader, tonumber(moves) or 0, browser
  end
  local number = redis.call('ZSCORE', line, person)
  if number then
    return tonumber(number), 0, person
  end
  local leader = redis.call('HGET', companions, person)
  return tonumber(leader and redis.call('ZSCORE', line, leader) or 0), 0, leader or person
end

-- Give the pass of a person inside to a browser.
local function set_browser(person, place, moves, browser)
  local number, admitted = place[2], place[5]
  local mark = string.format('%d:%.0f:%s:%d:%s', number, admitted, place.leader or '', moves, browser)
  redis.call('HSET', called, person, mark)
  place.moves, place.browser = moves, browser
end

-- A pass that no browser has, as after a rebuild, is for the first that comes.
local function keep_browser(person, place, browser)
  if place[1] == 'admitted' and place.browser == '' and (browser or '') ~= '' then
    set_browser(person, place, place.moves, browser)
  end
end

-- Free places inside.
local function room()
  local cap = rules('cap')
  return cap - redis.call('ZCARD', inside) - redis.call('ZCARD', ready)
end

-- The later of two times. Clocks disagree by a little, which must not turn time back; a clock that
-- is more than a minute behind was corrected, and counts.
local function later(now, before)
  if before - now > MISSED_MS then
    return now
  end
  return math.max(now, before)
end

-- Permits to admit, including those of the time since the last refill. Returns also what `spend` needs.
local function permits(now)
  local rate, tokens, refilled = rules('rate', 'tokens', 'refilled')
  if rate == 0 then
    return math.huge, rate, refilled
  end
  local elapsed = math.min(math.max(now - refilled, 0), MISSED_MS)
  -- Rounded so that 0.7 + 0.3 is 1.
  return math.floor((tokens + elapsed * rate / 1000) * 1e6 + 0.5) / 1e6, rate, refilled
end

-- Take `count` of the `available` permits. What is left beyond a second's worth is dropped, unless `more` are taken
-- in the next round of this tick.
local function spend(count, now, available, rate, refilled, more)
  if rate == 0 then
    available, count = 0, 0
  end
  local most = math.max(rate * (more and MISSED_MS or KEPT_MS) / 1000, 1)
  local kept = math.min(available - count, most)
  redis.call('HSET', meta, 'tokens', string.format('%.6f', kept), 'refilled', later(now, refilled))
end

-- Somebody who was called is out again: the permit is for the next, so that people enter at the rate. A party
-- took one permit: it is given back if nobody of it came.
local function give_back_permit(leader, number)
  local field = leader and '#' .. number
  if leader and (redis.call('HEXISTS', parties, field) == 0 or redis.call('HINCRBY', parties, field, -1) > 0) then
    return
  elseif leader then
    redis.call('HDEL', parties, field)
  end
  local rate, tokens = rules('rate', 'tokens')
  local most = math.max(rate * GIVEN_BACK_MS / 1000, 1)
  if tokens < most then
    redis.call('HSET', meta, 'tokens', string.format('%.6f', math.min(tokens + 1, most)))
  end
  redis.call('HINCRBY', meta, 'no_shows', 1)
end

-- What the estimate of a wait is made of (`Pace`): how many are called a second, room and cap, how long
-- a place is taken, and how many stays that is known from. Memory of five minutes. As long as few stays
-- are known, one of the length of a pass counts, too.
-- Returns  fields of meta and their values
local function pace_fields(elapsed, free)
  local keep = math.exp(-elapsed / 300)
  local rate, cap, pass, known, over, over_ms, claims, no_shows =
    rules('rate', 'cap', 'pass', 'known_stays', 'stays', 'stays_ms', 'claims', 'no_shows')
  local stays, stayed, came, missed = string.match(known or '', '(%S+) (%S+) (%S+) (%S+)')
  stays, stayed = (stays or 0) * keep + (over or 0), (stayed or 0) * keep + (over_ms or 0) / 1000
  came, missed = (came or 0) * keep + (claims or 0), (missed or 0) * keep + (no_shows or 0)
  local assumed = 1 / (1 + stays) ^ 2
  local stay = (stayed + assumed * pass / 1000) / (stays + assumed)
  local calls = rate / (1 - math.min(missed / (came + missed + 5), 0.75))
  if over or claims or no_shows then
    redis.call('HDEL', meta, 'stays', 'stays_ms', 'claims', 'no_shows')
  end
  return 'known_stays', string.format('%.3f %.3f %.3f %.3f', stays, stayed, came, missed),
    'pace', string.format('%.6f %d %d %.3f %.3f', calls, free, cap, stay, stays)
end

local function admit(person, number, now, leader, browser)
  redis.call('ZADD', inside, now + rules('pass'), person)
  local mark = number .. ':' .. now .. ':' .. (leader or '') .. ':0:' .. (browser or '')
  redis.call('HSET', called, person, mark)
  redis.call('HINCRBY', meta, 'admitted', 1)
  record('admit', person, number, now, leader)
end

-- The score in `ended` of somebody who is out: when, and how.
local function ending(how, now)
  local ENDINGS = { completed = 0, left = 1, expired = 2, blocked = 3, closed = 4 }
  return now * 8 + ENDINGS[how]
end

local function how_ended(score)
  local ENDINGS = { [0] = 'completed', 'left', 'expired', 'blocked', 'closed' }
  return ENDINGS[tonumber(score) % 8]
end

-- Remove a person from the one set they are in. Returns the state they had, or false. Scripts without
-- `_party.lua` remove only people who were called, and have no place for others to take over.
local function remove(person, how, now)
  local number, admitted, holder, leader, was_called = number_of(person)
  if holder ~= person then
    return leave_party(person, holder, how, number, now)
  end
  local was, is_kept
  if was_called then
    was = redis.call('ZREM', inside, person) == 1 and 'admitted' or 'ready'
    redis.call('HDEL', called, person)
    redis.call('HINCRBY', meta, 'stays', 1)
    redis.call('HINCRBY', meta, 'stays_ms', was == 'ready' and rules('claim') or now - admitted)
    if was == 'ready' then
      redis.call('ZREM', ready, person)
      give_back_permit(leader, number)
    end
  else
    is_kept = hand_over and hand_over(person, now)
    was = number > 0 and 'waiting' or 'lobby'
    if redis.call('ZREM', number > 0 and line or lobby, person) == 0 then
      return false
    end
    redis.call('ZREM', seen, person)
  end
  redis.call('ZADD', ended, ending(how, now), person)
  redis.call('HINCRBY', meta, how, 1)
  record(how, person, number, now, nil, is_kept and 0 or number)
  return was
end

-- How many people who are still to be drawn will get a number before this one, in the same lane. Minutes are in
-- everybody's.
local function undrawn_before(number)
  if number % LANE_NUMBERS <= tonumber(redis.call('HGET', meta, 'lobby_last') or math.huge) then
    return 0
  end
  local lane = lane_of(number)
  local undrawn = redis.call('ZCOUNT', lobby, lane * LOBBY_LANE, string.format('(%d', (lane + 1) * LOBBY_LANE))
  if lane == 0 then
    local minute, ends = rules('minute', 'minute_ends')
    -- Whoever came in a minute that still runs is behind all numbers.
    local until_minute = ends and string.format('(%d', MINUTES_FROM + minute) or '+inf'
    undrawn = undrawn + redis.call('ZCOUNT', lobby, MINUTES_FROM, until_minute)
  end
  return undrawn
end

local function lane_in_lobby(arrival)
  local score = tonumber(arrival)
  return score < MINUTES_FROM and math.floor(score / LOBBY_LANE) or 0
end

-- The place in line of a person with this number, nil if they are not there; `in_lobby` if it was read already.
local function place_in_line(person, number, in_lobby)
  local ahead = redis.call('ZRANK', line, person)
  if not ahead then
    return nil
  end
  if number >= LANE_NUMBERS then -- without those of the lanes before
    ahead = ahead - redis.call('ZCOUNT', line, '-inf', '(' .. numbers_of_lane(lane_of(number)))
  end
  in_lobby = in_lobby or redis.call('ZCARD', lobby)
  ahead = in_lobby > 0 and ahead + undrawn_before(number) or ahead
  return { 'waiting', number, ahead, 0, 0, in_lobby = in_lobby }
end

-- The place of somebody who was called.
local function place_inside(person, number, admitted, now)
  local deadline = tonumber(redis.call('ZSCORE', inside, person) or 0)
  if deadline > 0 then
    return { deadline > now and 'admitted' or 'expired', number, 0, deadline, admitted }
  end
  deadline = tonumber(redis.call('ZSCORE', ready, person) or 0)
  return { deadline > now and 'ready' or 'expired', number, 0, deadline, 0 }
end

-- Returns {state, number, ahead, deadline, admitted_ms}; in the lobby, the number says the lane only; with the
--         `holder` of a companion's place, the `leader` of the party with which somebody was called, and of
--         those who were called also `moves` and `browser` of their pass; in line how many are `in_lobby`
local function place_of(person, now)
  local number, admitted, holder, leader, moves, browser = number_of(person)
  if moves then
    local place = place_inside(person, number, admitted, now)
    place.leader, place.moves, place.browser = leader, moves, browser
    return place
  end
  local place = number > 0 and place_in_line(holder, number)
  local arrival = not place and redis.call('ZSCORE', lobby, holder)
  if arrival then
    place = { 'lobby', lane_in_lobby(arrival) * LANE_NUMBERS, 0, 0, 0 }
  end
  if place then
    place.holder = holder ~= person and holder or nil
    return place
  end
  if redis.call('SISMEMBER', at_limit, person) == 1 then
    return { 'at_limit', 0, 0, 0, 0 }
  end
  local score = redis.call('ZSCORE', ended, person)
  return { score and how_ended(score) or 'none', 0, 0, 0, 0 }
end

-- Whether a token was given for an earlier stay in line than the present one. A token of somebody
-- who is out of the line can do no harm.
local function is_revoked(person, number, epoch)
  if not number or number == '' then
    return false
  end
  local current, _, holder = number_of(person)
  if current == 0 and not redis.call('ZSCORE', lobby, holder) then
    return false
  end
  local present = redis.call('HGET', meta, 'epoch') -- false while the line is being rebuilt
  local given = tonumber(number)
  given = given % LANE_NUMBERS == 0 and 0 or given -- of the lobby
  return given ~= current or (present and present ~= epoch)
end

-- A person's place and how the line around it looks; `place` if it was read already.
-- Returns {state, number, ahead, deadline, admitted_ms, waiting, lobby, queue state, pace, epoch,
--          lines allowed, absence_ms, turn, mode, party, demoted, take-overs, browser, share}; waiting are those of
--          the lane of somebody who waits, of all lanes for others; turn is that of the first tick message that
--          contains everything this answer knows; party is leader:people, without people once they are called;
--          demoted is the reason; share is that of the lane, '' without lanes
local function standing(person, now, place)
  place = place or place_of(person, now)
  local state, pace, epoch, lines, absence, turn, mode, has_parties, has_demotions, is_laned = unpack(
    redis.call('HMGET', meta, 'state', 'pace', 'epoch', 'lines', 'absence', 'turn', 'mode', 'parties', 'demotions', 'laned')
  )
  local where, number = place[1], place[2]
  local in_line, share
  if is_laned then
    local lane = lane_of(number)
    share = tostring(of_lane(lane, 'share') or 1)
    in_line = where == 'waiting' and redis.call('ZCOUNT', line, numbers_of_lane(lane))
  end
  local party, reason
  if has_parties and place.leader then
    party = place.leader .. ':'
  elseif has_parties and (where == 'waiting' or where == 'lobby') then
    local holder = place.holder or person
    local _, others = string.gsub(redis.call('HGET', parties, holder) or '', '%S+', '')
    party = others > 0 and holder .. ':' .. others + 1
  end
  if has_demotions then
    local given, why = string.match(redis.call('HGET', demoted, person) or '', '^%d+:%d+:(%d+):(.*)$')
    reason = tonumber(given) == number and why
  end
  return {
    where, number, place[3], place[4], place[5],
    in_line or redis.call('ZCARD', line), place.in_lobby or redis.call('ZCARD', lobby),
    state or '', pace or '', epoch or '', lines or 0, absence or 0, (turn or 0) + 1, mode or '',
    party or '', reason or '', place.moves or 0, place.browser or '', share or '',
  }
end
