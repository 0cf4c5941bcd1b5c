// A worker's slots: the number per endpoint is limited, and endpoints that don't respond share only
// half of the slots.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { createSendingSlots } from './sending-slots.ts';

const ids = (count: number, start = 0) =>
  Array.from({ length: count }, (_, n) => String(start + n).padStart(4, '0'));

test('an endpoint gets one slot until it has responded quickly, and eight afterwards', () => {
  const slots = createSendingSlots();
  deepEqual([...slots.roomFor(['a'])], [['a', 1]]);
  slots.take('a');
  deepEqual([...slots.roomFor(['a'])], []);
  slots.free('a', 10);
  deepEqual([...slots.roomFor(['a'])], [['a', 8]]);
  for (let n = 0; n < 8; n += 1) slots.take('a');
  deepEqual([...slots.roomFor(['a'])], []);
  slots.free('a', 15_000);
  deepEqual([...slots.roomFor(['a'])], [], 'it responds slowly again, and has seven in flight');
});

test('unresponsive endpoints, no matter how many, leave half of the slots to others', () => {
  const slots = createSendingSlots();
  slots.take('quick');
  slots.free('quick', 5);
  const frozen = ids(500);
  const rooms = slots.roomFor(frozen);
  equal(rooms.size, 64);
  for (const id of rooms.keys()) slots.take(id);
  deepEqual([...slots.roomFor([...frozen, 'quick'])], [['quick', 8]]);
});

test('if there are more endpoints than slots, the endpoints take turns', () => {
  const slots = createSendingSlots();
  const all = ids(100);
  const first = [...slots.roomFor(all).keys()];
  const second = [...slots.roomFor(all).keys()];
  equal(first.length, 64);
  ok(
    all.slice(64).every((id) => second.includes(id)),
    'the rest come first next time',
  );
});

test('endpoints that respond quickly can together use all of a worker’s slots', () => {
  const slots = createSendingSlots();
  const all = ids(40);
  for (const id of all) {
    slots.take(id);
    slots.free(id, 1);
  }
  const rooms = slots.roomFor(all);
  equal(
    [...rooms.values()].reduce((sum, room) => sum + room),
    128,
  );
});
