-- Join the party of whoever gave this invitation, and give up the place that one has, if any.
--
-- KEYS     as in _line.lua; the person's moves within a minute; the invitation; in a rush the solved challenge
-- ARGV     person, now_ms, moves allowed (0: no limit), the lane of whose key the caller has made sure (0: none); in a
--          rush solution_ms, for how long the solution stays used
-- Returns  {outcome, standing}; outcome: joined, already, no_invitation, party_full, too_late, at_limit,
--          demoted, over, lost, solution_used; {blocked, reason}; {too_often, seconds until it is possible again};
--          {needs_key, lane}: the party is in this lane, for which each member needs a key
local person, now, moves_allowed = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local moves, invitation, solved, solution_ms = MORE_KEYS[1], MORE_KEYS[2], MORE_KEYS[3], ARGV[5]

local function answer(outcome)
  return { outcome, standing(person, now) }
end

local state, most = rules('state', 'companions')
if not state then
  return { 'lost' }
end
if redis.call('HEXISTS', blocked, person) == 1 then
  return { 'blocked', redis.call('HGET', blocked, person) }
end
-- The code is that of a place: if it was handed over, the party is the same.
local leader = redis.call('GET', invitation)
local host = leader and place_of(leader, now)
if not host or (host[1] ~= 'waiting' and host[1] ~= 'lobby') then
  return answer('no_invitation')
end
leader = host.holder or leader
local place = place_of(person, now)
if person == leader or place.holder == leader then
  redis.call('ZADD', seen, 'XX', now, person)
  return answer('already')
elseif place[1] == 'ready' or place[1] == 'admitted' then
  return answer('too_late')
elseif state == 'draining' or state == 'closed' then
  return answer('over')
elseif place[1] == 'at_limit' then
  return answer('at_limit')
elseif redis.call('HEXISTS', demoted, person) == 1 then
  return answer('demoted') -- nobody gets around it with the help of others
elseif party_size(leader) > (most or 0) then
  return answer('party_full')
elseif moves_allowed > 0 and tonumber(redis.call('GET', moves) or 0) >= moves_allowed then
  return { 'too_often', math.ceil(redis.call('PTTL', moves) / 1000) }
end
local lane = lane_of(host[2])
if lane > 0 and lane ~= tonumber(ARGV[4]) and lane_of(place[2]) ~= lane then
  return { 'needs_key', lane }
end
if solved and not redis.call('SET', solved, person, 'NX', 'PX', solution_ms) then
  return { 'solution_used' }
end

if place[1] == 'waiting' or place[1] == 'lobby' then
  remove(person, 'left', now)
  if redis.call('INCRBY', moves, 2) == 2 then
    redis.call('PEXPIRE', moves, 60000)
  end
elseif place[4] > 0 then
  remove(person, 'expired', now) -- their pass or call ran out since the last tick
end
redis.call('ZREM', ended, person)
redis.call('HINCRBY', meta, 'joined', 1)
join_party(person, leader, host[2], now)
return answer('joined')
