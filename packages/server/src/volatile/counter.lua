-- Functions shared by the scripts check.lua, lease.lua and return.lua. This file is prepended to
-- each script. The scripts must give the same results as memory.ts for every sequence of calls.
--
-- A counter stores the index of its newest bucket, the sum of all buckets, and their counts, newest
-- first. A charge within the newest bucket overwrites only the head. A script reads and decides
-- everything before its first write, because it is not rolled back.
--
-- An owner's live counters are counted by expiry, not listed. In the hash, each field is a time,
-- rounded up by at most a sixteenth of the window, and its value is the number of counters that
-- expire then. So the hash changes when a counter is created or a charge moves its expiry past that
-- time, but not with every charge. The fields n, first and last are the sum of the counts, and the
-- earliest and the latest time.
local HEAD = '>ddI4'
local ALL = { [1] = HEAD, [17] = HEAD .. string.rep('I4', 16) }
local SIZES = { [1] = 20, [17] = 84 }
local KEPT_FOR_TESTS_MS = 86400000

local call, tonumber, unpack, pairs = redis.call, tonumber, unpack, pairs
local floor, ceil, max, min, frexp = math.floor, math.ceil, math.max, math.min, math.frexp
local pack_bytes, unpack_bytes = struct.pack, struct.unpack

local time = call('TIME')
local own_clock = time[1] * 1000 + floor(time[2] / 1000)
local answer, size = {}, 0

-- The counts of a counter whose newest bucket began `moved` buckets ago, and their sum.
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

-- The wait in ms until enough old buckets have expired for the cost; -1 if the cost exceeds the
-- limit.
local function wait_for(cost, limit, counts, used, newest, width, span, now)
  if cost > limit then return -1 end
  local left = used
  for slot = span, 1, -1 do
    left = left - counts[slot]
    if left + cost <= limit then return (newest + span - slot + 1) * width - now end
  end
end

-- The current state of one counter. Its counts are unpacked only if necessary.
local function look(bytes, at, cost, now)
  local limit, width, span = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local newest = floor(now / width)
  local head, used, count, counts, ends = nil, 0, 0, nil, nil
  if bytes and #bytes == SIZES[span] then
    head, used, count = unpack_bytes(HEAD, bytes)
    -- If the clock steps back by up to a span, the newest bucket stays current; otherwise the
    -- counter restarts.
    if head > newest then
      if head - newest <= span then newest = head else head = nil end
    end
  end
  if head then ends = (head + span) * width end
  if head ~= newest then
    counts, used = counts_of(head and bytes, span, head and newest - head or span)
    count = counts[1]
  end
  local wait = 0
  if cost > 0 and used + cost > limit then
    counts = counts or counts_of(bytes, span, 0)
    wait = wait_for(cost, limit, counts, used, newest, width, span, now)
  end
  return { newest, width, span, used, wait, count, counts, bytes, ends }
end

-- The time in ms until the newest non-empty bucket expires.
local function reset_of(newest, width, span, used, counts, bytes, now)
  if used == 0 then return 0 end
  counts = counts or counts_of(bytes, span, 0)
  for slot = 1, span do
    if counts[slot] > 0 then return (newest + span - slot + 1) * width - now end
  end
end

-- Stores a charged counter. Within the same bucket the expiry and the older counts stay the same.
local function charge(key, counter, charged, kept)
  local newest, span, used, counts = counter[1], counter[3], counter[4] + charged, counter[7]
  if counts then
    counts[1] = counts[1] + charged
    call('SET', key, pack_bytes(ALL[span], newest, used, unpack(counts)), 'PX', kept)
  else
    call('SETRANGE', key, '0', pack_bytes(HEAD, newest, used, counter[6] + charged))
  end
end

-- Charges `charged` units to a counter (0 for a denied check), and appends its result.
local function settle(key, counter, charged, now, is_own_clock)
  local newest, width, span = counter[1], counter[2], counter[3]
  local reset
  if charged > 0 then
    reset = (newest + span) * width - now
    charge(key, counter, charged, is_own_clock and reset or KEPT_FOR_TESTS_MS)
  else
    reset = reset_of(newest, width, span, counter[4], counter[7], counter[8], now)
  end
  answer[size + 1], answer[size + 2], answer[size + 3] = counter[4] + charged, reset, counter[5]
  size = size + 3
end

-- The field under which a counter is counted: its expiry, rounded up to a grid that is finer for
-- shorter windows, so that the hash has few fields for each order of magnitude.
local function counted_under(ends, width, span)
  local _, exponent = frexp(width * span)
  local grid = 2 ^ (exponent - 5)
  return ceil(ends / grid) * grid
end

-- The effect of a charge on the count of live counters: the number of new ones, and the difference
-- for each expiry. The differences are nil if nothing changes, as with most charges.
local function changes_of(counters, now)
  local created, changes = 0, nil
  for rule = 1, #counters do
    local counter = counters[rule]
    if counter[7] then
      local newest, width, span, ends = counter[1], counter[2], counter[3], counter[9]
      local to = counted_under((newest + span) * width, width, span)
      local from = ends and ends > now and counted_under(ends, width, span)
      if from ~= to then
        changes = changes or {}
        changes[to] = (changes[to] or 0) + 1
        if from then
          changes[from] = (changes[from] or 0) - 1
        else
          created = created + 1
        end
      end
    end
  end
  return created, changes
end

-- Recounts an owner's counters without the expired ones, and removes the expired fields. A server
-- that is out of memory refuses HSET but not HDEL, so HSET comes first.
local function recount(key, now)
  local all, ended = call('HGETALL', key), {}
  local n, first = 0, 0
  for field = 1, #all, 2 do
    local time = tonumber(all[field])
    if time and time <= now then
      ended[#ended + 1] = all[field]
    elseif time then
      n = n + all[field + 1]
      if first == 0 or time < first then first = time end
    end
  end
  if #ended > 0 then
    call('HSET', key, 'n', n, 'first', first)
    call('HDEL', key, unpack(ended))
  end
  return n, first
end

-- Counts the counters that a check creates and those whose expiry it moves. Returns nil, or the
-- wait in ms if the owner may not have more counters; then nothing is counted.
local function count_names(key, created, changes, most, now, is_own_clock)
  local fields = { 'n', 'first', 'last' }
  for time in pairs(changes) do fields[#fields + 1] = time end
  local held = call('HMGET', key, unpack(fields))
  local n, first, last = tonumber(held[1]) or 0, tonumber(held[2]) or 0, tonumber(held[3]) or 0
  if first > 0 and first <= now then n, first = recount(key, now) end
  if created > 0 and n + created > most then return max(first - now, 1) end
  local written, earliest, latest = { 'n', 0 }, first, last
  for field = 4, #fields do
    local time, known = fields[field], tonumber(held[field]) or 0
    local left = max(0, known + changes[time])
    n = n + left - known
    if left > 0 and (earliest == 0 or time < earliest) then earliest = time end
    if time > latest then latest = time end
    written[#written + 1], written[#written + 2] = time, left
  end
  written[2] = n
  if earliest ~= first then written[#written + 1], written[#written + 2] = 'first', earliest end
  if latest ~= last then written[#written + 1], written[#written + 2] = 'last', latest end
  call('HSET', key, unpack(written))
  if latest ~= last then
    call('PEXPIRE', key, is_own_clock and latest - now or KEPT_FOR_TESTS_MS)
  end
end

-- The record of a lease: its ID, and the counters and buckets that it charged.
local function record_of(id, names, counters)
  local charged = {}
  for rule = 1, #counters do
    charged[rule] = names[rule] .. ' ' .. string.format('%.0f', counters[rule][1])
  end
  return id .. '/' .. redis.sha1hex(table.concat(charged, '\n'))
end
