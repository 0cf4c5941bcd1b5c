// What a change reads again is bounded, however far the user has scrolled.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { isShort, reread } from './reread.ts';

const pagesOf = (count: number) => ({
  pages: Array.from({ length: count }, (_, at) => ({ items: [at], cursor: `${at}` })),
  pageParams: Array.from({ length: count }, (_, at) => (at === 0 ? null : `${at - 1}`)),
});

test('only the first pages of a long list are kept and read again', async () => {
  const queries = new QueryClient();
  const lists = { long: pagesOf(60), short: pagesOf(20), other: pagesOf(60) };
  for (const [name, held] of Object.entries(lists)) queries.setQueryData(['w', name], held);
  queries.setQueryData(['w', 'one'], { id: 'k' });
  const lengthOf = (name: string) =>
    queries.getQueryData<typeof lists.long>(['w', name])?.pages.length;
  const read = (name: string) => queries.getQueryCache().find({ queryKey: ['w', name] });

  deepEqual(
    ['long', 'short', 'one'].map((name) => isShort({ state: { data: read(name)?.state.data } })),
    [false, true, true],
    'a long list is not read again on its own',
  );
  await reread(queries, ({ queryKey: [, name] }) => name !== 'other');
  deepEqual(['long', 'short', 'other'].map(lengthOf), [20, 20, 60]);
  deepEqual(
    ['long', 'short', 'one', 'other'].map((name) => read(name)?.state.isInvalidated),
    [true, true, true, false],
  );
  equal(queries.getQueryData<typeof lists.long>(['w', 'long'])?.pageParams.length, 20);
  queries.clear();
});
