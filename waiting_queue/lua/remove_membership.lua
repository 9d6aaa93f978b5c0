-- Forget that a person is in the line of an event.
--
-- KEYS     the person's memberships: string, "event:since event:since …"
-- ARGV     event; since, if only a membership of that time is to be forgotten
-- Returns  1 if there was one
local memberships, event, wanted_since = KEYS[1], ARGV[1], ARGV[2]

local kept, removed = {}, 0
for other, since in string.gmatch(redis.call('GET', memberships) or '', '(%d+):(%d+)') do
  if other == event and (not wanted_since or wanted_since == since) then
    removed = 1
  else
    kept[#kept + 1] = other .. ':' .. since
  end
end
if #kept == 0 then
  redis.call('DEL', memberships)
elseif removed == 1 then
  redis.call('SET', memberships, table.concat(kept, ' '), 'KEEPTTL')
end
return removed
