// IDs sort by creation time, even when the machine's clock steps back.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { seededBytes } from '@keyrail/testing/test-app.ts';
import type { Clock } from './clock.ts';
import { createIdMaker } from './ids.ts';
import { systemRandomBytes } from './random.ts';

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A clock that changes only when it is set. */
function setClock(): Clock & { set(ms: number): void } {
  let nowMs = START_MS;
  return {
    now: () => new Date(nowMs),
    shiftMs: () => 0,
    set: (ms) => {
      nowMs = ms;
    },
  };
}

const msOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

const isAscending = (ids: string[]): boolean =>
  ids.every((id, at) => at === 0 || (ids[at - 1] ?? '') < id);

test('an ID is a version 7 UUID that contains its creation time in milliseconds', () => {
  const newId = createIdMaker(setClock(), seededBytes('ids'));
  for (let n = 0; n < 100; n += 1) {
    const id = newId();
    match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    equal(msOf(id), START_MS);
  }
});

test('IDs created in the same millisecond ascend, even when the counter overflows', () => {
  const newId = createIdMaker(setClock(), seededBytes('ids'));
  const ids = Array.from({ length: 10_000 }, newId);
  ok(isAscending(ids));
  equal(new Set(ids).size, ids.length);
  ok(msOf(ids.at(-1) ?? '') - START_MS <= 4, 'the counter runs only a few milliseconds ahead');
});

test('IDs keep increasing even when the clock jumps back and forth', () => {
  const clock = setClock();
  const newId = createIdMaker(clock, seededBytes('ids'));
  const ids: string[] = [];
  for (const stepMs of [0, 1, -1, -60_000, 5, -3_600_000, 2, 3, -1, 1000]) {
    clock.set(START_MS + stepMs);
    for (let n = 0; n < 50; n += 1) ids.push(newId());
  }
  deepEqual(ids, ids.toSorted());
  equal(new Set(ids).size, ids.length);
});

test('IDs follow a clock that moves forward', () => {
  const clock = setClock();
  const newId = createIdMaker(clock, seededBytes('ids'));
  newId();
  clock.set(START_MS + 60_000);
  equal(msOf(newId()), START_MS + 60_000);
});

test('two generators create different IDs at the same instant', () => {
  const clock = setClock();
  const makers = [createIdMaker(clock, systemRandomBytes), createIdMaker(clock, systemRandomBytes)];
  const ids = makers.flatMap((newId) => Array.from({ length: 2000 }, newId));
  equal(new Set(ids).size, ids.length);
});
