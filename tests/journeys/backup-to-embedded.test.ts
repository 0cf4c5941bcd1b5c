import { test } from 'node:test';
import { lostAndRestored } from './lost-and-restored.ts';

test('a lost PostgreSQL deployment can be restored to the embedded store', (t) =>
  lostAndRestored(t, 'postgres', 'embedded'));
