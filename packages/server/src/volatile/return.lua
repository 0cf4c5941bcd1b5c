-- Deducts a lease's units from all of its counters, but only once, and only while its buckets are
-- the newest.
--
-- KEYS: the owner's leases, then one counter per rule. ARGV: the number of rules, the units, the
-- time in ms ('' for this server's clock), the ID of the lease with its granted units, then the
-- rules as in check.lua. Returns 1 if the units were deducted, otherwise 0.
local rules, unused, given, id = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local now = given or own_clock
local names = { unpack(KEYS, 2, 1 + rules) }
local stored = call('MGET', unpack(names))
local counters = {}
for rule = 1, rules do
  local counter = look(stored[rule], 2 + 3 * rule, 0, now)
  local is_newest = not counter[7]
  if not is_newest or counter[6] < unused then return 0 end
  if now >= (counter[1] + 1) * counter[2] then return 0 end
  counters[rule] = counter
end
if call('ZREM', KEYS[1], record_of(id, names, counters)) == 0 then return 0 end
for rule = 1, rules do charge(names[rule], counters[rule], -unused) end
return 1
