import { test } from 'node:test';
import { lostAndRestored } from './lost-and-restored.ts';

test('a deployment on PostgreSQL is lost and comes back on the embedded store', (t) =>
  lostAndRestored(t, 'postgres', 'embedded'));
