-- Count who wants to join in a rush, and use up the solution that they bring.
--
-- KEYS     the solved challenge; how often this person asked; how many holds of theirs ran out; how many
--          were asked for a challenge, which the tick reads: who can't solve it is a rush, too; then sets
--          of the people who came from one range of addresses, or with one browser
-- ARGV     person, window_ms, solution_ms (for how long a solution stays used; 0: none was brought)
-- Returns  {1 if the solution was not used before, times asked, holds run out, people in each set…}
local person, window_ms, solution_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
local challenged, FIRST_SET = KEYS[4], 5

local answer = { 0 }
if solution_ms > 0 and redis.call('SET', KEYS[1], person, 'NX', 'PX', solution_ms) then
  answer[1] = 1
else
  redis.call('INCR', challenged)
  redis.call('PEXPIRE', challenged, window_ms)
end
answer[2] = redis.call('INCR', KEYS[2])
if answer[2] == 1 then
  redis.call('PEXPIRE', KEYS[2], window_ms)
end
answer[3] = tonumber(redis.call('GET', KEYS[3]) or 0)
for index = FIRST_SET, #KEYS do
  local is_new = redis.call('SADD', KEYS[index], person) == 1
  answer[index - 1] = redis.call('SCARD', KEYS[index])
  if is_new and answer[index - 1] == 1 then
    redis.call('PEXPIRE', KEYS[index], window_ms)
  end
end
return answer
