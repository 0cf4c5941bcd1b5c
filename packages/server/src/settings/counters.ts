// Settings of the rate-limit counters.
import { wholeNumber } from './parsers.ts';
import type { Setting } from './setting.ts';

const COUNTERS_MAX_MIN = 1000;
const COUNTERS_MAX_MAX = 100_000_000;

export const countersMax: Setting<number> = {
  name: 'KEYRAIL_COUNTERS_MAX',
  meaning: 'Maximum live rate-limit counters per workspace and environment, without Redis.',
  fallback: '100000',
  parse: (text) => wholeNumber(text, COUNTERS_MAX_MIN, COUNTERS_MAX_MAX),
};

export const redisCountersMax: Setting<number> = {
  name: 'KEYRAIL_REDIS_COUNTERS_MAX',
  meaning: 'Maximum live rate-limit counters per workspace and environment, in Redis.',
  fallback: '1000000',
  parse: (text) => wholeNumber(text, COUNTERS_MAX_MIN, COUNTERS_MAX_MAX),
};
