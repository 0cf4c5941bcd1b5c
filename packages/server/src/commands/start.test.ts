// The order in which a server shuts down.
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { stopInOrder } from './start.ts';

test('new requests are rejected while jobs finish, and the store closes last', async () => {
  const requests = Promise.withResolvers<void>();
  const jobs = Promise.withResolvers<void>();
  const events: string[] = [];
  const on = (event: string, done: Promise<void>) => () => {
    events.push(event);
    return done;
  };
  const app = { stopServing: on('door', requests.promise), close: on('store', Promise.resolve()) };
  const stopped = stopInOrder({ app, worker: { stop: on('jobs', jobs.promise) } });
  await settled();
  deepEqual(events.toSorted(), ['door', 'jobs']);
  requests.resolve();
  await settled();
  deepEqual(events.toSorted(), ['door', 'jobs'], 'jobs use the store until they finish');
  jobs.resolve();
  await stopped;
  deepEqual(events.at(-1), 'store');
});
