-- Give a demoted person their old number back. A repeat changes nothing.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms
-- Returns  1 if they were in line
if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return 0
end
return undo_demotion(ARGV[1], tonumber(ARGV[2])) and 1 or 0
