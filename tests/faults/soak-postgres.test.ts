// Short soaks of two APIs and a worker with PostgreSQL and Redis.
import { test } from 'node:test';
import { whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { redisIsMissing } from '@keyrail/testing/stores/redis.ts';
import { openPostgresBed } from '../soak/bed/postgres.ts';
import { assertSoaks, SEEDS } from './soak-short.ts';

const skip = whyNoCluster() || redisIsMissing();

for (const seed of SEEDS) {
  test(`a soak of PostgreSQL and Redis with seed ${seed} leaves no violation`, { skip }, (t) =>
    assertSoaks(t, openPostgresBed, { seed, clients: 3 }),
  );
}
