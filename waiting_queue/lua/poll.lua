-- Where a person stands. Polling is a heartbeat: it keeps the place and renews a pass that is in use.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms; number and epoch of their queue token, or empty; their browser, or empty
-- Returns  standing, or {'revoked'}
local person, now = ARGV[1], tonumber(ARGV[2])

if is_revoked(person, ARGV[3], ARGV[4]) then
  -- Reading needs less than acting: after a rebuild, the draw, a demotion or a change of party an older
  -- token may still be used to poll, and the answer has the new one.
  local given, current = tonumber(ARGV[3]), number_of(person)
  local drawn = current % LANE_NUMBERS <= tonumber(redis.call('HGET', meta, 'lobby_last') or 0)
  local is_current = given == current or (given % LANE_NUMBERS == 0 and drawn)
  local was = string.match(redis.call('HGET', demoted, person) or '', '^(%d+):')
  if not is_current and tonumber(was) ~= given and redis.call('HEXISTS', companions, person) == 0 then
    return { 'revoked' }
  end
end

redis.call('ZADD', seen, 'XX', now, person)
local place = place_of(person, now)
if place[1] == 'admitted' then
  keep_browser(person, place, ARGV[5])
  local pass, longest = rules('pass', 'pass_max')
  if pass then
    place[4] = math.max(place[4], math.min(now + pass, place[5] + longest))
    redis.call('ZADD', inside, place[4], person)
  end
end
return standing(person, now, place)
