-- Give the pass of a person inside to another of their browsers. Whoever has it keeps it.
--
-- KEYS     as in _line.lua
-- ARGV     person, now_ms, browser
-- Returns  {outcome, standing}; outcome: taken, already, not_admitted, lost
local person, now, browser = ARGV[1], tonumber(ARGV[2]), ARGV[3]

if redis.call('HEXISTS', meta, 'epoch') == 0 then
  return { 'lost' }
end
local place = place_of(person, now)
local outcome = 'not_admitted'
if place[1] == 'admitted' then
  outcome = place.browser == browser and 'already' or 'taken'
end
if outcome == 'taken' then
  set_browser(person, place, place.moves + 1, browser)
  add_change(person, place[2]) -- their other open pages are told
end
return { outcome, standing(person, now, place) }
