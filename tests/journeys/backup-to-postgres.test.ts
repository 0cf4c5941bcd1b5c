import { test } from 'node:test';
import { lostAndRestored } from './lost-and-restored.ts';

test('a lost embedded deployment is restored to PostgreSQL', (t) =>
  lostAndRestored(t, 'embedded', 'postgres'));
