import { test } from 'node:test';
import { lostAndRestored } from './lost-and-restored.ts';

test('a lost embedded deployment can be restored to PostgreSQL', (t) =>
  lostAndRestored(t, 'embedded', 'postgres'));
