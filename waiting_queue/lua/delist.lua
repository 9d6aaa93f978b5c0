-- Forget that a person stands in the line of an event.
--
-- KEYS     lines of this person
-- ARGV     event; since when, if only that stay is to be forgotten
-- Returns  1 if they did
local lines, event, stay = KEYS[1], ARGV[1], ARGV[2]

local kept, found = {}, 0
for other, since in string.gmatch(redis.call('GET', lines) or '', '(%d+):(%d+)') do
  if other == event and (not stay or stay == since) then
    found = 1
  else
    kept[#kept + 1] = other .. ':' .. since
  end
end
if #kept == 0 then
  redis.call('DEL', lines)
elseif found == 1 then
  redis.call('SET', lines, table.concat(kept, ' '), 'KEEPTTL')
end
return found
