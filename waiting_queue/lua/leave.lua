-- Remove a person from the queue: they leave, are done, or an operator removes them. Their place goes
-- to the next at the coming tick.
--
-- KEYS     as in _line.lua; the person's moves within a minute
-- ARGV     person, now_ms, how (left, completed or blocked), why (blocked: the reason; completed: how
--          many seats they bought); number and epoch of their queue token, if they sent one
-- Returns  the state they had: lobby, waiting, ready, admitted or none; or revoked
local person, now, how, why = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local moves = MORE_KEYS[1]

if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return 'none' -- while the line is being rebuilt nothing may bypass the journal
end
if is_revoked(person, ARGV[5], ARGV[6]) then
  return 'revoked'
end
if how == 'blocked' then
  redis.call('HSET', blocked, person, why)
end
local limit = rules('limit') or 0
if how == 'completed' and limit > 0 and (tonumber(why) or 0) >= limit then
  redis.call('SADD', at_limit, person)
end
if how == 'completed' and not redis.call('ZSCORE', inside, person) then
  return 'none' -- only somebody inside can be done; a repeat changes nothing
end
local was = remove(person, how, now)
-- Two moves: whoever joins often has left as often. So a first join needs no counter.
if was and how == 'left' and redis.call('INCRBY', moves, 2) == 2 then
  redis.call('PEXPIRE', moves, 60000)
end
return was or 'none'
