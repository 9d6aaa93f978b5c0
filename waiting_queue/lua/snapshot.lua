-- The whole queue in numbers.
--
-- KEYS     as in _line.lua
-- Returns  {field, value, …}: meta, and the number of people in each state
local answer = redis.call('HGETALL', meta)
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
