// Compares the table with a plain Map, key by key, after random changes.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { chanceFrom } from '@keyrail/testing/seeded-scheduler.ts';
import {
  entryOf,
  mixedEntryOf,
  sha256Hex,
  storedOf,
  toldBy,
  uuidOf,
} from '../../../test/entries.ts';
import { digestFromHex, digestOf, idText } from './digest.ts';
import { CHUNK_ROWS, IDS_WORDS } from './ids.ts';
import { LINK_AT, RECORD_WORDS } from './shard.ts';
import { type Entry, PolicyTable } from './table.ts';

function assertSame(table: PolicyTable, model: Map<string, Entry>, upTo: number): void {
  equal(table.size, model.size);
  const imported = [...model.values()].filter((entry) => entry.importedPrefix !== undefined);
  equal(table.ids.importedSize, imported.length);
  const afresh = new PolicyTable();
  for (const entry of model.values()) afresh.set(entry);
  equal(table.fingerprint, afresh.fingerprint);
  for (let number = 0; number < upTo; number += 1) {
    const hash = sha256Hex(`key ${number}`);
    const known = model.get(hash);
    deepEqual(toldBy(table, hash), known ? storedOf(known) : null);
  }
}

test('after random changes, the table has the same contents as a Map', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const chance = chanceFrom(seed);
    const keys = 1 + chance.below(600);
    const table = new PolicyTable();
    const model = new Map<string, Entry>();
    for (let step = 0; step < 2_000; step += 1) {
      const entry = mixedEntryOf(chance.below(keys), chance);
      if (chance.percent(1)) for (const _ of table.settle());
      if (chance.percent(1)) for (const _ of table.shrink());
      if (chance.percent(45)) {
        table.delete(entry.lookupHash);
        model.delete(entry.lookupHash);
      } else {
        table.set(entry);
        model.set(entry.lookupHash, entry);
      }
    }
    assertSame(table, model, keys);
  }
});

test('after settle(), a table takes up little more memory than its keys', () => {
  const chance = chanceFrom(5);
  const table = new PolicyTable();
  const model = new Map<string, Entry>();
  const KEYS = 30_000;
  const fill = (from: number, to: number) => {
    for (let number = from; number < to; number += 1) {
      const entry = entryOf(number, chance);
      table.set(entry);
      model.set(entry.lookupHash, entry);
    }
  };
  fill(0, KEYS);
  const steps = [...table.settle()].length;
  ok(steps > 0, 'a large table is settled in steps');
  ok(table.bytes < 100 * KEYS, `${table.bytes / KEYS} bytes a key`);
  assertSame(table, model, KEYS);
  fill(KEYS, 2 * KEYS);
  ok(table.bytes < 112 * 2 * KEYS, `${table.bytes / 2 / KEYS} bytes a key after adding more`);
  assertSame(table, model, 2 * KEYS);
});

test('after a mass removal a table frees its memory, in steps', () => {
  const chance = chanceFrom(6);
  const table = new PolicyTable();
  const model = new Map<string, Entry>();
  const KEYS = 200_000;
  const LEFT = 1_000;
  const EACH = KEYS / LEFT;
  for (let number = 0; number < KEYS; number += 1) {
    const entry = entryOf(number, chance);
    table.set(entry);
    if (number % EACH === 0) model.set(entry.lookupHash, entry);
  }
  for (const _ of table.settle());
  const full = table.bytes;
  // Like a context, the test remembers the row of a key's IDs, and reads the IDs later.
  const row = rowOf(table, 1);
  const words = table.ids.native.wordsOf(row);
  const start = table.ids.native.startOf(row);
  for (let number = 0; number < KEYS; number += 1) {
    if (number % EACH !== 0) table.delete(sha256Hex(`key ${number}`));
  }
  const snapshot = table.show().map((part) => part.slice());
  const steps = [...table.shrink()].length;
  ok(steps > 0, 'the event loop runs in between');
  ok(table.bytes < full / 50, `${full} bytes, then ${table.bytes}`);
  deepEqual(snapshot.map(usedIn), table.show().map(usedIn));
  equal(table.size, LEFT);
  for (const entry of model.values()) {
    deepEqual(toldBy(table, entry.lookupHash), storedOf(entry));
  }
  equal(idText(words, start), uuidOf(1), 'a context still has the IDs of a removed key');
  equal([...table.shrink()].length, 0, 'nothing is left to do');
  for (let number = 0; number < 5_000; number += 1) {
    const entry = entryOf(number, chance);
    table.set(entry);
    model.set(entry.lookupHash, entry);
  }
  for (const entry of model.values()) {
    deepEqual(toldBy(table, entry.lookupHash), storedOf(entry));
  }
});

const rowOf = (table: PolicyTable, number: number): number => {
  const place = table.find(digestFromHex(sha256Hex(`key ${number}`)));
  return (table.wordsOf(place)[table.startOf(place) + LINK_AT] ?? 0) - 1;
};

/** Counts the used records in a shard. */
const usedIn = (words: Int32Array): number => {
  let used = 0;
  for (let at = LINK_AT; at < words.length; at += RECORD_WORDS) if (words[at] !== 0) used += 1;
  return used;
};

test('keys that collide in the same shard and slot are still distinguished', () => {
  const chance = chanceFrom(1);
  const table = new PolicyTable();
  const model = new Map<string, Entry>();
  // The first two words select the shard and the slot; here they are equal for all keys.
  const crowded = (number: number) => `0011223344556677${sha256Hex(`${number}`).slice(16)}`;
  for (let number = 0; number < 300; number += 1) {
    const entry = { ...entryOf(number, chance), lookupHash: crowded(number) };
    table.set(entry);
    model.set(entry.lookupHash, entry);
  }
  for (let number = 0; number < 300; number += 3) {
    table.delete(crowded(number));
    model.delete(crowded(number));
  }
  for (let number = 0; number < 300; number += 1) {
    const known = model.get(crowded(number));
    deepEqual(toldBy(table, crowded(number)), known ? storedOf(known) : null);
  }
});

test('a digest that differs in one bit does not match', () => {
  const table = new PolicyTable();
  const entry = entryOf(1, chanceFrom(1));
  table.set(entry);
  const digest = Buffer.from(entry.lookupHash, 'hex');
  for (let bit = 0; bit < 256; bit += 1) {
    const other = Buffer.from(digest);
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    equal(toldBy(table, other.toString('hex')), null);
  }
  ok(toldBy(table, entry.lookupHash));
});

test("a key's digest equals the hex digest in the feed", () => {
  for (const text of ['', 'x', 'kr_live_AAAA', 'ü', '\u{1f511}']) {
    deepEqual([...digestOf(text)], [...digestFromHex(sha256Hex(text)).slice()]);
  }
});

test('a snapshot of the table is not affected by later changes', () => {
  const chance = chanceFrom(3);
  const table = new PolicyTable();
  for (let number = 0; number < 5_000; number += 1) table.set(entryOf(number, chance));
  const { used, chunks } = table.ids.native.show();
  const parts = table.show();
  // Only the used part of the last chunk is compared, because the rest may still be written.
  const last = used % CHUNK_ROWS || CHUNK_ROWS;
  const ends = chunks.map((chunk, at) =>
    at < chunks.length - 1 ? chunk : chunk.subarray(0, last * IDS_WORDS),
  );
  const texts = () => [...parts, ...ends].map((words) => words.join());
  const before = texts();
  for (let number = 0; number < 5_000; number += 2) table.delete(sha256Hex(`key ${number}`));
  for (let number = 4_000; number < 9_000; number += 1) table.set(entryOf(number, chance));
  equal(used, 5_000);
  deepEqual(texts(), before);
});

test('unused scope sets and rate limits are removed', () => {
  const chance = chanceFrom(4);
  const table = new PolicyTable();
  for (let round = 0; round < 50; round += 1) {
    for (let number = 0; number < 40; number += 1) {
      table.set({ ...entryOf(number, chance), scopes: [`round ${round}`, `key ${number}`] });
    }
  }
  equal(table.pool.sources().length, 40);
  // A shared value must not keep a reference to any single key's data.
  for (const [, kept] of table.pool.sources()) {
    deepEqual(Object.keys(kept).toSorted(), ['limits', 'scopes']);
  }
  for (let number = 0; number < 40; number += 1) table.delete(sha256Hex(`key ${number}`));
  deepEqual([table.pool.sources(), table.size], [[], 0]);
});

test('an expiry is stored to the millisecond', () => {
  const table = new PolicyTable();
  const entry = entryOf(1, chanceFrom(1));
  const times = [0, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1_700_000_000_123, 253_402_300_799_999];
  for (const expiresAt of [...times, Number.POSITIVE_INFINITY]) {
    table.set({ ...entry, expiresAt });
    equal(toldBy(table, entry.lookupHash)?.expiresAt, expiresAt);
  }
});

test('a known digest that arrives with different IDs gets the new IDs', () => {
  const chance = chanceFrom(2);
  const table = new PolicyTable();
  const entry = entryOf(1, chance);
  table.set(entry);
  const other = { ...entry, keyId: entryOf(2, chance).keyId };
  table.set(other);
  deepEqual(toldBy(table, entry.lookupHash), storedOf(other));
  equal(table.size, 1);
});
