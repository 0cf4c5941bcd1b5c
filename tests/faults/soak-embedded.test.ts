// A short soak of one process with the embedded store.
import { test } from 'node:test';
import { openEmbeddedBed } from '../soak/bed/embedded.ts';
import { assertSoaks } from './soak-short.ts';

test('clients and faults on the embedded store leave a history without a violation', (t) =>
  assertSoaks(t, openEmbeddedBed, { seconds: 8, clients: 3 }));
