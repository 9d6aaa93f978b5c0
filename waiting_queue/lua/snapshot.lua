-- The whole queue in numbers.
--
-- KEYS     as in _line.lua
-- Returns  {field, value, …}: meta, the number of people in each state, and lane:id:field of each lane
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
for _, id in ipairs(lane_ids()) do
  for _, field in ipairs({ 'weight', 'opens', 'called', 'share' }) do
    answer[#answer + 1] = string.format('lane:%d:%s', id, field)
    answer[#answer + 1] = redis.call('HGET', lanes, string.format('%d:%s', id, field)) or '0'
  end
  answer[#answer + 1] = string.format('lane:%d:waiting', id)
  answer[#answer + 1] = redis.call('ZCOUNT', line, numbers_of_lane(id))
end
return answer
