-- Runs checks one after another; each charges all of its rules or none.
--
-- KEYS, for each check: the hash that counts its owner's live counters, then one counter per rule.
-- ARGV, for each check: the number of rules, the cost, the time in ms ('' for this server's clock),
-- the maximum number of live counters ('' to leave them uncounted and omit the first key), then for
-- each rule its limit, the width of a bucket in ms and the number of buckets. Returns, for each
-- check: 1 or 0 for allowed, then for each rule the used sum, the reset and the wait in ms. A check
-- that needs more counters than its owner may have charges nothing and returns 2, then the wait in
-- ms.
local key, at = 1, 1
while key <= #KEYS do
  local rules, cost, given = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local now, most = given or own_clock, tonumber(ARGV[at + 3])
  local before = most and key or key - 1
  local stored = call('MGET', unpack(KEYS, before + 1, before + rules))
  local counters, allowed = {}, 1
  for rule = 1, rules do
    local counter = look(stored[rule], at + 1 + 3 * rule, cost, now)
    counters[rule] = counter
    if counter[5] ~= 0 then allowed = 0 end
  end
  local wait
  if most and allowed * cost > 0 then
    local created, changes = changes_of(counters, now)
    if changes then
      wait = count_names(KEYS[key], created, changes, most, now, given == nil)
    end
  end
  size = size + 1
  answer[size] = wait and 2 or allowed
  if wait then
    size = size + 1
    answer[size] = wait
  else
    for rule = 1, rules do
      settle(KEYS[before + rule], counters[rule], allowed * cost, now, given == nil)
    end
  end
  key = before + 1 + rules
  at = at + 4 + 3 * rules
end
return answer
