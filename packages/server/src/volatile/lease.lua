-- Charges as many units as all rules have left, up to the number wanted, and records the lease.
--
-- KEYS: the hash that counts the owner's live counters, the owner's leases, then one counter per
-- rule. ARGV: the number of rules, the units wanted, the time in ms ('' for this server's clock),
-- the maximum number of live counters ('' to leave them uncounted and the lease unrecorded, without
-- the first two keys), the ID of the lease, the maximum number of recorded leases, then the rules
-- as in check.lua. Returns the granted units, the time in ms until they expire, then for each rule
-- the used sum, the reset and the wait for one unit in ms. A lease that needs more counters than
-- its owner may have charges nothing and returns -1, then the wait in ms.
local ENDED_MAX = 64

local rules, want, given = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local most, id, leases_max = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
local now, before = given or own_clock, most and 2 or 0
local names = { unpack(KEYS, before + 1, before + rules) }
local stored = call('MGET', unpack(names))
local counters, granted, ends, expires = {}, want, math.huge, math.huge
for rule = 1, rules do
  local at = 4 + 3 * rule
  local counter = look(stored[rule], at, 1, now)
  local left = (counter[1] + 1) * counter[2] - now
  counters[rule] = counter
  granted = max(0, min(granted, tonumber(ARGV[at]) - counter[4]))
  ends = min(ends, now + left)
  -- Never longer than a bucket, in case the clock has been set back. The clock reads whole ms, so
  -- one is subtracted, because up to one more may have passed.
  expires = max(0, min(expires, left - 1, counter[2] - 1))
end

local wait
if most and granted > 0 then
  local created, changes = changes_of(counters, now)
  if changes then wait = count_names(KEYS[1], created, changes, most, now, given == nil) end
end
if wait then return { -1, wait } end

answer[1], answer[2] = granted, granted > 0 and expires or 0
size = 2
for rule = 1, rules do settle(names[rule], counters[rule], granted, now, given == nil) end

-- A lease beyond the maximum is not recorded, so it cannot be returned.
if most and granted > 0 then
  local leases = KEYS[2]
  local ended = call('ZRANGEBYSCORE', leases, '-inf', now, 'LIMIT', 0, ENDED_MAX)
  if #ended > 0 then call('ZREM', leases, unpack(ended)) end
  if call('ZCARD', leases) < leases_max then
    call('ZADD', leases, ends, record_of(id .. '.' .. granted, names, counters))
    local kept = given and KEPT_FOR_TESTS_MS or ends - now
    if call('PTTL', leases) < kept then call('PEXPIRE', leases, kept) end
  end
end
return answer
