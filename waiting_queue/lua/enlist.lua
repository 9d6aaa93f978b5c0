-- Note that a person stands in the line of an event too; a note that is there keeps its place and
-- time. A short text, because there is one for everybody who waits: it costs a quarter less memory
-- than a sorted set.
--
-- KEYS     lines of this person: string, "event:since event:since …", times in seconds
-- ARGV     event, now in seconds, again (1: an old note is thrown away first)
-- Returns  {event, since, …} of all the lines, this one included, in the order of the notes
local lines, event, now, again = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local DAY = 86400

local answer, kept, noted = {}, {}, false
local function keep(one, since)
  kept[#kept + 1] = one .. ':' .. since
  answer[#answer + 1] = one
  answer[#answer + 1] = since
end

for one, since in string.gmatch(redis.call('GET', lines) or '', '(%d+):(%d+)') do
  if one ~= event or again ~= '1' then
    keep(one, since)
    noted = noted or one == event
  end
end
if not noted then
  keep(event, now)
end
redis.call('SET', lines, table.concat(kept, ' '), 'EX', DAY)
return answer
