// A change reloads a limited number of pages, no matter how far the user has scrolled.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { isShort, reread, rereadKeys } from './reread.ts';

const pagesOf = (count: number) => ({
  pages: Array.from({ length: count }, (_, at) => ({ items: [at], cursor: `${at}` })),
  pageParams: Array.from({ length: count }, (_, at) => (at === 0 ? null : `${at - 1}`)),
});

test('when a long list is reloaded, only its first pages are kept', async () => {
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
    'a long list is not reloaded on its own',
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

test('when several keys expire at the same moment, all key data is reloaded once, and no other data is reloaded', async () => {
  const queries = new QueryClient();
  const reads: string[] = [];
  const lines = ['GET /v1/keys', 'GET /v1/keys/{id}', 'GET /v1/secret_keys', 'GET /v1/projects'];
  const observers = lines.map((line) => {
    const queryFn = async () => reads.push(line);
    return new QueryObserver(queries, { queryKey: ['w', line], queryFn, staleTime: Infinity });
  });
  const stops = observers.map((each) => each.subscribe(() => {}));
  await Promise.all(observers.map((each) => each.refetch({ cancelRefetch: false })));
  reads.length = 0;
  await Promise.all([rereadKeys(queries), rereadKeys(queries)]);
  deepEqual(reads, lines.slice(0, 3));
  for (const stop of stops) stop();
  queries.clear();
});
