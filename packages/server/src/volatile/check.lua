-- One check of all rules, charged together or not at all: the twin of memory.ts, step by step.
-- KEYS: one counter for each rule. ARGV: cost, the time in ms ('' is this server's own clock),
-- then for each rule its limit, the width of a bucket in ms and how many buckets it spans.
-- Answers: 1 or 0 for allowed, then for each rule what is used, its reset and its wait in ms.
--
-- A counter is the index of its newest bucket and the counts of all its buckets, oldest first.
-- Everything is read and decided before the first write, because a script is not rolled back.
local FORMATS = { [1] = '>dI4', [17] = '>d' .. string.rep('I4', 17) }
local SIZES = { [1] = 12, [17] = 76 }
local KEPT_FOR_TESTS_MS = 86400000

local cost = tonumber(ARGV[1])
local now = tonumber(ARGV[2])
local isOwnClock = now == nil
if isOwnClock then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local stored = redis.call('MGET', unpack(KEYS))
local counters = {}
local allowed = 1

for rule = 1, #KEYS do
  local at = 3 * rule
  local limit, width, span = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local newest = math.floor(now / width)
  local counts, used = {}, 0
  for slot = 1, span do counts[slot] = 0 end

  local bytes = stored[rule]
  if bytes and #bytes == SIZES[span] then
    local parts = { struct.unpack(FORMATS[span], bytes) }
    local head = parts[1]
    -- A clock that stepped back a little stands still here; one that jumped starts afresh.
    if head > newest and head - newest <= span then newest = head end
    local moved = newest - head
    if moved >= 0 and moved < span then
      for slot = 1, span - moved do
        local count = parts[1 + slot + moved]
        counts[slot] = count
        used = used + count
      end
    end
  end

  local wait = 0
  if used + cost > limit and cost > 0 then
    allowed = 0
    wait = -1
    if cost <= limit then
      local left = used
      for slot = 1, span do
        left = left - counts[slot]
        if left + cost <= limit then
          wait = (newest + slot) * width - now
          break
        end
      end
    end
  end
  counters[rule] = { counts, used, newest, width, span, wait }
end

local answer = { allowed }
for rule = 1, #KEYS do
  local counter = counters[rule]
  local counts, used, newest, width, span = unpack(counter, 1, 5)
  if allowed == 1 and cost > 0 then
    counts[span] = counts[span] + cost
    used = used + cost
  end
  local reset = 0
  for slot = span, 1, -1 do
    if counts[slot] > 0 then
      reset = (newest + slot) * width - now
      break
    end
  end
  if allowed == 1 and cost > 0 then
    local kept = isOwnClock and reset or KEPT_FOR_TESTS_MS
    redis.call('SET', KEYS[rule], struct.pack(FORMATS[span], newest, unpack(counts)), 'PX', kept)
  end
  answer[3 * rule - 1] = used
  answer[3 * rule] = reset
  answer[3 * rule + 1] = counter[6]
end
return answer
