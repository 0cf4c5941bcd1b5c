// Settings for rate-limit counters, and for the Redis shared by several processes.
import { isRedis, onOrOff, secretIf, wholeNumber } from './parsers.ts';
import type { Group } from './setting.ts';

const COUNTERS_MAX_MIN = 1000;
const COUNTERS_MAX_MAX = 100_000_000;

export const counters = {
  redisUrl: {
    name: 'REDIS_URL',
    meaning: 'redis://, rediss:// or unix:<path>. Unset: counters are kept in the process.',
    fallback: null,
    isSecret: true,
    parse: (text) => secretIf(isRedis(text), text, 'must be redis://, rediss:// or unix:<path>'),
  },
  redisCluster: {
    name: 'KEYRAIL_REDIS_CLUSTER',
    meaning: 'on: REDIS_URL lists one or more Redis Cluster nodes: redis://host:port,host:port.',
    fallback: 'off',
    parse: onOrOff,
  },
  countersMax: {
    name: 'KEYRAIL_COUNTERS_MAX',
    meaning: 'Maximum active rate-limit counters per workspace and environment, without Redis.',
    fallback: '100000',
    parse: (text) => wholeNumber(text, COUNTERS_MAX_MIN, COUNTERS_MAX_MAX),
  },
  /** If null, the maximum is 1,000,000, or less if Redis has little memory. */
  redisCountersMax: {
    name: 'KEYRAIL_REDIS_COUNTERS_MAX',
    meaning:
      'Maximum active rate-limit counters per workspace and environment, in Redis. ' +
      'Default: 1000000, or what fits into an eighth of maxmemory.',
    fallback: null,
    parse: (text) => wholeNumber(text, COUNTERS_MAX_MIN, COUNTERS_MAX_MAX),
  },
} satisfies Group;
