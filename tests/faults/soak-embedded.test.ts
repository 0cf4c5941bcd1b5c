// A short soak of one process with the embedded store.
import { test } from 'node:test';
import { openEmbeddedBed } from '../../lab/soak/bed/embedded.ts';
import { assertSoaks, SOAK_TIMEOUT_MS } from './soak-short.ts';

test(
  'a soak on the embedded store, with clients and faults, finds no violations',
  {
    timeout: SOAK_TIMEOUT_MS,
  },
  (t) => assertSoaks(t, openEmbeddedBed, 2),
);
