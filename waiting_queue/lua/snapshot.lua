-- The whole queue in numbers.
--
-- Returns  {field, value, …}: the desk, and how many people are where
local answer = redis.call('HGETALL', desk)
local sizes = { lobby = lobby, waiting = line, ready = ready, inside = inside }
for name, key in pairs(sizes) do
  answer[#answer + 1] = name
  answer[#answer + 1] = redis.call('ZCARD', key)
end
answer[#answer + 1] = 'last_number'
answer[#answer + 1] = redis.call('GET', counter) or '0'
answer[#answer + 1] = 'journal'
answer[#answer + 1] = redis.call('XLEN', journal)
return answer
