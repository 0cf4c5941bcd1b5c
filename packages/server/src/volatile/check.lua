-- Checks, one after the other; in each all rules are charged together or not at all. The twin of
-- memory.ts, step by step.
-- KEYS: one counter for each rule of each check. ARGV, for each check: how many rules it has, its
-- cost, the time in ms ('' is this server's own clock), then for each rule its limit, the width of a
-- bucket in ms and how many buckets it spans.
-- Answers, for each check: 1 or 0 for allowed, then for each rule what is used, its reset and its
-- wait in ms.
--
-- A counter is the index of its newest bucket and the counts of all its buckets, oldest first.
-- Everything of a check is read and decided before its first write, because a script is not rolled
-- back.
local FORMATS = { [1] = '>dI4', [17] = '>d' .. string.rep('I4', 17) }
local SIZES = { [1] = 12, [17] = 76 }
local KEPT_FOR_TESTS_MS = 86400000

local time = redis.call('TIME')
local own_clock = time[1] * 1000 + math.floor(time[2] / 1000)
local answer, told = {}, 0

local function tell(number)
  told = told + 1
  answer[told] = number
end

-- What one counter holds now, and how long the cost would have to wait.
local function look(bytes, at, cost, now)
  local limit, width, span = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local newest = math.floor(now / width)
  local counts, used = {}, 0
  for slot = 1, span do counts[slot] = 0 end

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
  return { counts, used, newest, width, span, wait }
end

-- Charges a counter if all of its check may be, and tells of it.
local function settle(key, counter, charged, now, is_own_clock)
  local counts, used, newest, width, span, wait = unpack(counter)
  counts[span] = counts[span] + charged
  local reset = 0
  for slot = span, 1, -1 do
    if counts[slot] > 0 then
      reset = (newest + slot) * width - now
      break
    end
  end
  if charged > 0 then
    local kept = is_own_clock and reset or KEPT_FOR_TESTS_MS
    redis.call('SET', key, struct.pack(FORMATS[span], newest, unpack(counts)), 'PX', kept)
  end
  tell(used + charged)
  tell(reset)
  tell(wait)
end

local key, at = 1, 1
while key <= #KEYS do
  local rules, cost, given = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local now = given or own_clock
  local stored = redis.call('MGET', unpack(KEYS, key, key + rules - 1))
  local counters, allowed = {}, 1
  for rule = 1, rules do
    counters[rule] = look(stored[rule], at + 3 * rule, cost, now)
    if counters[rule][6] ~= 0 then allowed = 0 end
  end
  tell(allowed)
  for rule = 1, rules do
    settle(KEYS[key + rule - 1], counters[rule], allowed * cost, now, given == nil)
  end
  key = key + rules
  at = at + 3 + 3 * rules
end
return answer
