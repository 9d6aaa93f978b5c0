-- Mark a line that is being rebuilt. If the mark is gone when `configure` ends the rebuild, the server has lost
-- what was written in between.
--
-- KEYS     as in _line.lua
-- ARGV     mark
-- Returns  1
redis.call('HSET', meta, 'rebuild', ARGV[1])
note_server()
return 1
