-- Count who wants to join in a rush. Whoever has a place already is no newcomer, and is not counted.
--
-- KEYS     as named below; then sets of the people who came from one range of addresses, or with one browser
-- ARGV     person, now_ms, window_ms, 1 if they are asked for a challenge (0: they have solved a provider's)
-- Returns  {1 if they have a place, times asked, holds run out, people in each set…}
local person, now, window_ms, is_asked = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4] == '1'
local seen, ready, inside = KEYS[1], KEYS[2], KEYS[3] -- as in _line.lua
local asked, run_outs = KEYS[4], KEYS[5] -- of this person
local challenged = KEYS[6] -- how many were asked, which the tick reads: who can't solve it is a rush, too
local FIRST_SET = 7

local function until_when(set)
  return tonumber(redis.call('ZSCORE', set, person) or 0)
end

if redis.call('ZSCORE', seen, person) or until_when(ready) > now or until_when(inside) > now then
  return { 1, 0, 0 }
end
if is_asked then
  redis.call('INCR', challenged)
  redis.call('PEXPIRE', challenged, window_ms)
end
local answer = { 0, redis.call('INCR', asked), tonumber(redis.call('GET', run_outs) or 0) }
if answer[2] == 1 then
  redis.call('PEXPIRE', asked, window_ms)
end
for index = FIRST_SET, #KEYS do
  local is_new = redis.call('SADD', KEYS[index], person) == 1
  local size = redis.call('SCARD', KEYS[index])
  if is_new and size == 1 then
    redis.call('PEXPIRE', KEYS[index], window_ms)
  end
  answer[#answer + 1] = size
end
return answer
