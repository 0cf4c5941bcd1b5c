import { test } from 'node:test';
import { lostAndRestored } from './lost-and-restored.ts';

test('an embedded deployment is lost and comes back on PostgreSQL', (t) =>
  lostAndRestored(t, 'embedded', 'postgres'));
