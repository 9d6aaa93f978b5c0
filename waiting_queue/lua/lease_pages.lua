-- Give each open page one of the few places that a person has for open pages, over all server
-- processes. A page that has one keeps it. What is not renewed in time, as after a crash, is free again.
--
-- KEYS     pages: sorted set, person:place by the time until which it is leased
-- ARGV     now_ms, lease_ms, places per person; then, for each page, the person and the place it has:
--          0 if it has none yet, negative if it was closed
-- Returns  for each page its place, 0 if it has none
local pages, now, lease, most = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local function free_place(person)
  for place = 1, most do
    if tonumber(redis.call('ZSCORE', pages, person .. ':' .. place) or 0) <= now then
      return place
    end
  end
  return 0
end

local places = {}
for index = 4, #ARGV, 2 do
  local person, place = ARGV[index], tonumber(ARGV[index + 1])
  if place < 0 then
    redis.call('ZREM', pages, person .. ':' .. -place)
  else
    place = place > 0 and place or free_place(person)
  end
  if place > 0 then
    redis.call('ZADD', pages, now + lease, person .. ':' .. place)
  end
  places[#places + 1] = math.max(place, 0)
end
local lapsed = redis.call('ZRANGEBYSCORE', pages, '-inf', now, 'LIMIT', 0, 200)
if #lapsed > 0 then
  redis.call('ZREM', pages, unpack(lapsed))
end
return places
