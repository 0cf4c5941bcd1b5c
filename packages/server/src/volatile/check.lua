-- Checks, one after the other; in each all rules are charged together or not at all. The twin of
-- memory.ts: whatever is asked in whatever order, both give the same answers.
-- KEYS: one counter for each rule of each check. ARGV, for each check: how many rules it has, its
-- cost, the time in ms ('' is this server's own clock), then for each rule its limit, the width of a
-- bucket in ms and how many buckets it spans.
-- Answers, for each check: 1 or 0 for allowed, then for each rule what is used, its reset and its
-- wait in ms.
--
-- A counter is the index of its newest bucket, the sum of all its buckets, and their counts, newest
-- first: while time stays within a bucket, a charge changes the head and leaves the rest alone.
-- Everything of a check is read and decided before its first write, because a script is not rolled
-- back.
local HEAD = '>ddI4'
local ALL = { [1] = HEAD, [17] = HEAD .. string.rep('I4', 16) }
local SIZES = { [1] = 20, [17] = 84 }
local KEPT_FOR_TESTS_MS = 86400000

local call, floor, tonumber, unpack = redis.call, math.floor, tonumber, unpack
local pack_bytes, unpack_bytes = struct.pack, struct.unpack

local time = call('TIME')
local own_clock = time[1] * 1000 + floor(time[2] / 1000)
local answer, told = {}, 0

-- The counts of a counter whose newest bucket was so many buckets ago, and their sum.
local function counts_of(bytes, span, moved)
  local parts = bytes and moved < span and { unpack_bytes(ALL[span], bytes) }
  local counts, used = {}, 0
  for slot = 1, span do
    local count = parts and slot > moved and parts[2 + slot - moved] or 0
    counts[slot] = count
    used = used + count
  end
  return counts, used
end

-- How long the cost would have to wait until enough old buckets have run out; -1 is for ever.
local function wait_for(cost, limit, counts, used, newest, width, span, now)
  if cost > limit then return -1 end
  local left = used
  for slot = span, 1, -1 do
    left = left - counts[slot]
    if left + cost <= limit then return (newest + span - slot + 1) * width - now end
  end
end

-- What one counter holds now. Its counts are taken apart only where they must be.
local function look(bytes, at, cost, now)
  local limit, width, span = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local newest = floor(now / width)
  local head, used, count, counts = nil, 0, 0, nil
  if bytes and #bytes == SIZES[span] then
    head, used, count = unpack_bytes(HEAD, bytes)
    -- A clock that stepped back a little stands still here; one that jumped starts afresh.
    if head > newest then
      if head - newest <= span then newest = head else head = nil end
    end
  end
  if head ~= newest then
    counts, used = counts_of(head and bytes, span, head and newest - head or span)
    count = counts[1]
  end
  local wait = 0
  if cost > 0 and used + cost > limit then
    counts = counts or counts_of(bytes, span, 0)
    wait = wait_for(cost, limit, counts, used, newest, width, span, now)
  end
  return { newest, width, span, used, wait, count, counts, bytes }
end

-- When the newest bucket that holds something runs out.
local function reset_of(newest, width, span, used, counts, bytes, now)
  if used == 0 then return 0 end
  counts = counts or counts_of(bytes, span, 0)
  for slot = 1, span do
    if counts[slot] > 0 then return (newest + span - slot + 1) * width - now end
  end
end

-- Writes a charged counter down. Within a bucket its end stays what it was, and so does its tail.
local function charge(key, counter, charged, kept)
  local newest, span, used, counts = counter[1], counter[3], counter[4] + charged, counter[7]
  if counts then
    counts[1] = counts[1] + charged
    call('SET', key, pack_bytes(ALL[span], newest, used, unpack(counts)), 'PX', kept)
  else
    call('SETRANGE', key, '0', pack_bytes(HEAD, newest, used, counter[6] + charged))
  end
end

-- Charges a counter if all of its check may be, and tells of it.
local function settle(key, counter, charged, now, is_own_clock)
  local newest, width, span = counter[1], counter[2], counter[3]
  local reset
  if charged > 0 then
    reset = (newest + span) * width - now
    charge(key, counter, charged, is_own_clock and reset or KEPT_FOR_TESTS_MS)
  else
    reset = reset_of(newest, width, span, counter[4], counter[7], counter[8], now)
  end
  answer[told + 1], answer[told + 2], answer[told + 3] = counter[4] + charged, reset, counter[5]
  told = told + 3
end

local key, at = 1, 1
while key <= #KEYS do
  local rules, cost, given = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local now = given or own_clock
  local stored = call('MGET', unpack(KEYS, key, key + rules - 1))
  local counters, allowed = {}, 1
  for rule = 1, rules do
    local counter = look(stored[rule], at + 3 * rule, cost, now)
    counters[rule] = counter
    if counter[5] ~= 0 then allowed = 0 end
  end
  told = told + 1
  answer[told] = allowed
  for rule = 1, rules do
    settle(KEYS[key + rule - 1], counters[rule], allowed * cost, now, given == nil)
  end
  key = key + rules
  at = at + 3 + 3 * rules
end
return answer
