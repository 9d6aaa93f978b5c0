-- Let a fan attempt to hold seats, unless somebody else has them or is trying. All or none. A fan who
-- loses only to people who are trying may wait behind them instead of being refused.
--
-- KEYS     gate, seats_left, attempts of this fan, wanted
-- ARGV     fan, now_ms, until_ms (when the attempt expires), max_attempts per window (0: any
--          number), window_ms, mode (now: attempt or refuse; auto: attempt or wait; async: wait),
--          wanted_ms (how long others have to wait behind who waits), then the seats; none where any
--          seats will do
-- Returns  {'go'}, {'wait'}, {'sold_out'}, {'too_often', ms until the window ends}, or {'taken', and
--          for each such seat its id, why, and until_ms of a hold or ''}
local gate, seats_left, attempts, wanted = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local fan, now, until_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local max_attempts, window_ms, mode, wanted_ms = tonumber(ARGV[4]), ARGV[5], ARGV[6], tonumber(ARGV[7])
local FIRST, WHY = 8, { h = 'held', s = 'sold', t = 'tried', b = 'unavailable' }

local count = redis.call('INCR', attempts) -- also tells the seat page that there may be a hold
if count == 1 then
  redis.call('PEXPIRE', attempts, window_ms)
end
if max_attempts > 0 and count > max_attempts then
  return { 'too_often', tostring(redis.call('PTTL', attempts)) }
end

local refusal, expired, tried, gone = { 'taken' }, 0, 0, 0
for index = FIRST, #ARGV do
  local seat = ARGV[index]
  local why, back = nil, ''
  local ends, owner, kind = string.match(redis.call('HGET', gate, seat) or '', '^(%d+):(%d*):?(%a?)$')
  if ends and tonumber(ends) <= now then
    expired = expired + 1 -- an expired hold that no task has released yet: the seat can be had
  elseif ends and owner ~= fan then
    why = WHY[kind] or 'held'
    if kind == 'h' and owner ~= '' and owner ~= '0' then -- a fan's hold, which has a deadline
      back = ends
    end
  end
  if not why and tonumber(redis.call('HGET', wanted, seat) or 0) > now then
    why = 'tried' -- somebody waits for it, and comes first
  end
  if why then
    refusal[#refusal + 1], refusal[#refusal + 2], refusal[#refusal + 3] = seat, why, back
    if why == 'tried' then
      tried = tried + 1
    else
      gone = gone + 1
    end
  end
end
if gone > 0 or (tried > 0 and mode == 'now') then
  return refusal
end
local free = redis.call('GET', seats_left)
if free and tonumber(free) <= 0 and expired == 0 then
  return { 'sold_out' }
end
if mode == 'async' or tried > 0 then
  for index = FIRST, #ARGV do
    redis.call('HSET', wanted, ARGV[index], now + wanted_ms)
  end
  redis.call('PEXPIRE', wanted, wanted_ms)
  return { 'wait' }
end
for index = FIRST, #ARGV do
  redis.call('HSET', gate, ARGV[index], until_ms .. ':' .. fan .. ':t')
end
return { 'go' }
