// A short soak of two APIs and a worker with PostgreSQL and Redis.
import { test } from 'node:test';
import { whyNoCluster } from '@keyrail/testing/processes/homes.ts';
import { redisIsMissing } from '@keyrail/testing/stores/redis.ts';
import { openPostgresBed } from '../soak/bed/postgres.ts';
import { assertSoaks } from './soak-short.ts';

const skip = whyNoCluster() || redisIsMissing();

test(
  'clients and faults on PostgreSQL and Redis leave a history without a violation',
  {
    skip,
  },
  (t) => assertSoaks(t, openPostgresBed, { seconds: 10, clients: 4 }),
);
