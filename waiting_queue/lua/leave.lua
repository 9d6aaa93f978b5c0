-- Take a fan out, wherever they are: by their own wish, because they are done, or because an
-- operator says so. Their place goes to the next at the coming tick.
--
-- ARGV     person, now_ms, how: left, completed or blocked; why (blocked only); number and epoch of
--          the token that speaks for them, if one does
-- Returns  where they were: lobby, waiting, ready, admitted, or none; or revoked
local person, now, how, why = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

if redis.call('HEXISTS', desk, 'epoch') == 0 then
  return 'none' -- while the line is being restored nothing may slip past the journal
end
if is_revoked(person, ARGV[5], ARGV[6]) then
  return 'revoked'
end
if how == 'blocked' then
  redis.call('HSET', blocked, person, why)
end
if how == 'completed' and not redis.call('ZSCORE', inside, person) then
  return 'none' -- finishing is for those inside; a repeat changes nothing
end
return remove(person, how, now) or 'none'
