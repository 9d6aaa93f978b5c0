-- Parties, people who come in without waiting, and people who are moved to the end; follows `_line.lua` in
-- scripts that take people out of lobby or line.
--
-- A party has one place in lobby or line, its leader's. Its companions have none of their own: they see the
-- leader's, and are called with it. Once called, each of them claims alone.

-- All members of a party get a message: who is in it has changed.
local function tell_party(leader)
  add_change(leader, 0)
  for companion in string.gmatch(redis.call('HGET', parties, leader) or '', '%S+') do
    add_change(companion, 0)
  end
end

local function party_size(leader)
  local _, others = string.gsub(redis.call('HGET', parties, leader) or '', '%S+', '')
  return 1 + others
end

local function set_companions(leader, others)
  if others == '' then
    redis.call('HDEL', parties, leader)
  else
    redis.call('HSET', parties, leader, others)
  end
end

-- The caller has checked that there is room for one more.
local function join_party(person, leader, number, now)
  local others = redis.call('HGET', parties, leader)
  redis.call('HSET', companions, person, leader)
  redis.call('HSET', parties, leader, others and others .. ' ' .. person or person)
  redis.call('HINCRBY', meta, 'parties', 1)
  redis.call('ZADD', seen, now, person)
  record('companion', person, number, now, leader, 0)
  tell_party(leader)
end

local function take_out(person, leader)
  local kept = {}
  for other in string.gmatch(redis.call('HGET', parties, leader) or '', '%S+') do
    if other ~= person then
      kept[#kept + 1] = other
    end
  end
  redis.call('HDEL', companions, person)
  set_companions(leader, table.concat(kept, ' '))
  tell_party(leader)
end

-- A companion is out; the party goes on without them. Returns the state they had.
function leave_party(person, leader, how, number, now)
  take_out(person, leader)
  redis.call('ZREM', seen, person)
  redis.call('ZADD', ended, ending(how, now), person)
  redis.call('HINCRBY', meta, how, 1)
  record(how, person, number, now, nil, 0)
  return number > 0 and 'waiting' or 'lobby'
end

-- Those who are drawn together are listed once nobody can be added to them: at the opening (pool 0), or of a minute.
-- From then on a place that is handed over keeps the lot of the one who is listed.
-- Returns  that person, if there may be a list already
local function keep_lot(leader, heir, pool)
  local is_closed = redis.call('ZSCORE', minutes, pool)
  if pool == 0 then
    is_closed = redis.call('HEXISTS', meta, 'lobby_first') == 1
  end
  if not is_closed then
    return nil
  end
  local listed = redis.call('HGET', parties, '=' .. pool .. ':' .. leader) or leader
  redis.call('HSET', parties, '@' .. pool .. ':' .. listed, heir, '=' .. pool .. ':' .. heir, listed)
  return listed
end

-- The place of a leader who is out goes to the companion who joined first. Returns whether there is one.
function hand_over(leader, now)
  local others = redis.call('HGET', parties, leader)
  if not others then
    return false
  end
  local heir, rest = string.match(others, '^(%S+) ?(.*)$')
  local number, arrived = redis.call('ZSCORE', line, leader), redis.call('ZSCORE', lobby, leader)
  redis.call('ZADD', number and line or lobby, number or arrived, heir)
  redis.call('HDEL', companions, heir)
  redis.call('HDEL', parties, leader)
  set_companions(heir, rest)
  if number then
    record('lead', heir, number, now, nil, 0)
  elseif tonumber(arrived) > MINUTES_FROM then
    local minute = tonumber(arrived) - MINUTES_FROM
    record('lead', heir, -minute, now, keep_lot(leader, heir, minute), 0)
  else
    local lane, at = lane_in_lobby(arrived), tonumber(arrived) % LOBBY_LANE
    -- Lane and time of arrival, from which the lobby's order is rebuilt.
    record('lead', heir, lane * LANE_NUMBERS, at, keep_lot(leader, heir, 0), 0)
  end
  for companion in string.gmatch(rest, '%S+') do
    redis.call('HSET', companions, companion, heir)
    record('companion', companion, number or lane_in_lobby(arrived) * LANE_NUMBERS, now, heir, 0)
  end
  return true
end

-- A party is called: its members are on their own from now on. Companions who are absent are out.
-- Returns  the members, the leader first
local function disband(leader, number, is_present, now)
  local members = { leader }
  for companion in string.gmatch(redis.call('HGET', parties, leader) or '', '%S+') do
    if is_present(companion) then
      members[#members + 1] = companion
      redis.call('HDEL', companions, companion)
    else
      remove(companion, 'expired', now)
    end
  end
  if #members > 1 then
    redis.call('HDEL', parties, leader)
    redis.call('HSET', parties, '#' .. number, #members)
  end
  return members
end

-- Call those whose turn it is: {person, number, leader of the party or nil} of each. They are written together,
-- which costs less than writing one by one.
local WRITTEN_AT_ONCE = 500
local function call_all(calls, now, deadline)
  for first = 1, #calls, WRITTEN_AT_ONCE do
    local people, deadlines, marks, changed = {}, {}, {}, {}
    for index = first, math.min(first + WRITTEN_AT_ONCE - 1, #calls) do
      local person, number, leader = unpack(calls[index], 1, 3)
      write_journal('ready', person, number, now, leader)
      people[#people + 1] = person
      deadlines[#deadlines + 1], deadlines[#deadlines + 2] = deadline, person
      marks[#marks + 1], marks[#marks + 2] = person, number .. ':0' .. (leader and ':' .. leader or '')
      changed[#changed + 1] = person .. ':' .. number
    end
    redis.call('ZREM', line, unpack(people))
    redis.call('ZREM', seen, unpack(people))
    redis.call('ZADD', ready, unpack(deadlines))
    redis.call('HSET', called, unpack(marks))
    add_changes(unpack(changed))
  end
end

-- Take a person out of lobby, line or their party; a party keeps the place.
-- Returns  the number that nobody has from now on, 0 if there is none
local function give_up_place(person, holder, number, now)
  if holder ~= person then
    take_out(person, holder)
    return 0
  end
  local is_kept = hand_over(person, now)
  redis.call('ZREM', line, person)
  redis.call('ZREM', lobby, person)
  return is_kept and 0 or number
end

-- Call everybody of the bypass list who waits. They take a place inside, but no permit. Returns them.
local function call_bypassing(now, deadline)
  local calls = {}
  for _, person in ipairs(redis.call('SMEMBERS', bypass)) do
    local number, _, holder = number_of(person)
    if number > 0 and redis.call('ZSCORE', line, holder) then
      local lane = lane_of(number)
      -- The number that stays with the party is another's from now on.
      number = give_up_place(person, holder, number, now)
      number = number > 0 and number or next_number(lane)
      record('bypass', person, number, now)
      redis.call('HINCRBY', meta, 'bypassed', 1)
      calls[#calls + 1] = { person, number }
    end
  end
  call_all(calls, now, deadline)
  return calls
end

-- What is known of a demotion: the number before it, the batch, the number after it, the reason.
local function demotion_of(person)
  return string.match(redis.call('HGET', demoted, person) or '', '^(%d+):(%d+):(%d+):(.*)$')
end

-- Move somebody who waits or was called to the end of their lane, in a batch that an operator named. A repeat
-- of the batch changes nothing. Returns whether they were moved.
local function demote(person, batch, reason, now)
  local first, last_batch, last_number = demotion_of(person)
  if last_batch == batch then
    return false
  end
  local place = place_of(person, now)
  local state, number = place[1], place[2]
  local is_there = state == 'waiting' or state == 'ready'
  if tonumber(last_number) ~= number then
    first = number -- they left and came back since the last time
  end
  local new_number = is_there and next_number(lane_of(number)) or 0
  redis.call('HSET', demoted, person, string.format('%d:%s:%d:%s', first, batch, new_number, reason))
  redis.call('HINCRBY', meta, 'demotions', 1)
  if not is_there then
    return false
  end
  local freed = number
  if state == 'waiting' then
    freed = give_up_place(person, place.holder or person, number, now)
  else
    redis.call('ZREM', ready, person)
    redis.call('HDEL', called, person)
    give_back_permit(place.leader, number)
  end
  redis.call('ZADD', line, new_number, person)
  redis.call('ZADD', seen, now, person)
  record('demoted', person, new_number, now, nil, freed)
  return true
end

-- Undo a demotion: the person gets the old number back, or joins those who have it now.
-- Returns whether they were still in the place that they were moved to
local function undo_demotion(person, now)
  local first, _, given = demotion_of(person)
  redis.call('HDEL', demoted, person)
  local place = place_of(person, now)
  if not first or place[1] ~= 'waiting' or tonumber(given) ~= place[2] then
    add_change(person, 0)
    return false
  end
  local number = tonumber(first)
  local freed = give_up_place(person, place.holder or person, place[2], now)
  local present = redis.call('ZRANGEBYSCORE', line, number, number)[1]
  if present then
    join_party(person, present, number, now)
  else
    redis.call('ZADD', line, number, person)
    redis.call('ZADD', seen, now, person)
    record('restored', person, number, now, nil, freed)
  end
  skip_turn() -- the ranks behind change
  return true
end
