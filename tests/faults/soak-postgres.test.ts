// A short soak of two APIs and a worker with PostgreSQL and Redis.
import { test } from 'node:test';
import { whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { redisIsMissing } from '@keyrail/testing/stores/redis.ts';
import { openPostgresBed } from '../../lab/soak/bed/postgres.ts';
import { assertSoaks, SOAK_TIMEOUT_MS } from './soak-short.ts';

test(
  'a soak on PostgreSQL and Redis, with clients and faults, finds no violations',
  {
    skip: whyNoCluster() || redisIsMissing(),
    timeout: SOAK_TIMEOUT_MS,
  },
  (t) => assertSoaks(t, openPostgresBed, 3),
);
