// Short soaks of one process with the embedded store.
import { test } from 'node:test';
import { openEmbeddedBed } from '../soak/bed/embedded.ts';
import { assertSoaks, SEEDS } from './soak-short.ts';

for (const seed of SEEDS) {
  test(`a soak of the embedded store with seed ${seed} leaves no violation`, (t) =>
    assertSoaks(t, openEmbeddedBed, { seed, clients: 2 }));
}
