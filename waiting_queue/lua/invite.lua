-- Give a person who waits the code with which companions join their party, for a time. Asking again gives
-- the same code, unless it ends soon.
--
-- KEYS     as in _line.lua; the person's code; the invitation: code -> person
-- ARGV     person, now_ms, a new code, how long it is valid in ms
-- Returns  {invited, code, ms until it ends}, or {why not}: no_parties, not_in_line, too_late, not_leader,
--          party_full, lost
local person, now, new_code, lifetime = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local own_code, invitation = MORE_KEYS[1], MORE_KEYS[2]

local state, most = rules('state', 'companions')
if not state then
  return { 'lost' }
end
local place = place_of(person, now)
if (most or 0) == 0 then
  return { 'no_parties' }
elseif place[1] == 'ready' or place[1] == 'admitted' then
  return { 'too_late' }
elseif place[1] ~= 'waiting' and place[1] ~= 'lobby' then
  return { 'not_in_line' }
elseif place.holder then
  return { 'not_leader' }
elseif party_size(person) > most then
  return { 'party_full' }
end
local left = redis.call('PTTL', own_code)
if left > lifetime / 6 then
  return { 'invited', redis.call('GET', own_code), left }
end
redis.call('SET', own_code, new_code, 'PX', lifetime)
redis.call('SET', invitation, person, 'PX', lifetime)
return { 'invited', new_code, lifetime }
