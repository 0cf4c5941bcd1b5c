// The scanner's public keys: kept for an hour, kept longer when they cannot be read, and never
// fetched in a storm, whatever strangers send.
import { equal, ok, rejects } from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiError } from '../../base/errors.ts';
import { openLog } from '../../base/log.ts';
import { openScannerKeys, type ScannerKeys } from './public-keys.ts';

const log = openLog('silent', process.stderr);
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const [one, two] = [newKey(), newKey()];
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

const listOf = (keys: Record<string, KeyObject>) =>
  JSON.stringify({
    public_keys: Object.entries(keys).map(([key_identifier, key], at) => ({
      key_identifier,
      key: pemOf(key),
      is_current: at === 0,
    })),
  });

/** A scanner's address whose answers a test chooses, and a clock that it moves. */
function remote(answer: () => Response | Promise<Response>) {
  const told = { fetches: 0, nowMs: 0, answer };
  const keys = openScannerKeys(
    { kind: 'url', url: 'https://scanner.example/keys' },
    {
      log,
      nowMs: () => told.nowMs,
      fetch: async () => {
        told.fetches += 1;
        return told.answer();
      },
    },
  );
  return { keys, told };
}

const isFound = async (keys: ScannerKeys, id: string, key: KeyObject) =>
  (await keys.find(id))?.equals(key) === true;

const isAway = (error: unknown) => error instanceof ApiError && error.code === 'unavailable';

test('the list is read once an hour, those no longer current included', async () => {
  const { keys, told } = remote(() => new Response(listOf({ a: one, b: two })));
  ok(await isFound(keys, 'a', one));
  ok(await isFound(keys, 'b', two));
  told.nowMs = 3_599_999;
  ok(await isFound(keys, 'a', one));
  equal(told.fetches, 1);
  told.nowMs = 3_600_000;
  ok(await isFound(keys, 'a', one));
  equal(told.fetches, 2);
});

test('an unknown key is looked for once more, at once', async () => {
  const { keys, told } = remote(() => new Response(listOf({ a: one })));
  ok(await isFound(keys, 'a', one));
  told.answer = () => new Response(listOf({ a: one, b: two }));
  ok(await isFound(keys, 'b', two));
  equal(told.fetches, 2);
});

test('made-up identifiers cause a few fetches, and then none for a while', async () => {
  const { keys, told } = remote(() => new Response(listOf({ a: one })));
  await keys.find('a');
  const find = (at: number) => keys.find(`made-up-${at}`);
  const found = await Promise.all(Array.from({ length: 100 }, (_, at) => find(at)));
  ok(found.every((key) => key === null));
  for (let at = 0; at < 100; at += 1) equal(await find(at), null);
  equal(told.fetches, 4);
  told.nowMs = 3 * 60_000 + 1;
  for (let at = 0; at < 100; at += 1) equal(await find(at), null);
  equal(told.fetches, 7);
});

test('those who ask at the same time share one fetch', async () => {
  const { keys, told } = remote(() => new Response(listOf({ a: one })));
  await Promise.all(Array.from({ length: 50 }, () => keys.find('a')));
  equal(told.fetches, 1);
});

const faults: Record<string, () => Response | Promise<Response>> = {
  'an error': () => new Response('no', { status: 500 }),
  'no connection': () => Promise.reject(new TypeError('fetch failed')),
  'no JSON': () => new Response('<html>'),
  'another shape': () => new Response('{"keys":[]}'),
  null: () => new Response('null'),
  'far too much': () => new Response('x'.repeat(1_048_577)),
};

for (const [what, answer] of Object.entries(faults)) {
  test(`${what}: the keys are kept, an unknown one cannot be told`, async () => {
    const { keys, told } = remote(() => new Response(listOf({ a: one })));
    await keys.find('a');
    told.answer = answer;
    told.nowMs = 2 * 3_600_000;
    ok(await isFound(keys, 'a', one));
    await rejects(keys.find('b'), isAway);
    told.answer = () => new Response(listOf({ b: two }));
    told.nowMs += 5000;
    ok(await isFound(keys, 'b', two));
    equal(await keys.find('a'), null, 'what is no longer listed is no longer believed');
  });

  test(`${what} from the start: nothing can be told, and it is tried again later`, async () => {
    const { keys, told } = remote(answer);
    for (let at = 0; at < 20; at += 1) await rejects(keys.find('a'), isAway);
    ok(told.fetches <= 4, `${told.fetches}`);
    told.answer = () => new Response(listOf({ a: one }));
    told.nowMs = 5000;
    ok(await isFound(keys, 'a', one));
  });
}

test('keys of other kinds are left out, the others still count', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  const { keys } = remote(() => new Response(listOf({ rsa: other, a: one })));
  ok(await isFound(keys, 'a', one));
  equal(await keys.find('rsa'), null);
  equal(await keys.find('__proto__'), null);
});

test('a file is read like an address', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'keyrail-scanner-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'keys.json');
  const keys = openScannerKeys({ kind: 'file', path }, { log });
  await rejects(keys.find('a'), isAway);
  writeFileSync(path, listOf({ a: one }));
  const again = openScannerKeys({ kind: 'file', path }, { log });
  ok(await isFound(again, 'a', one));
  writeFileSync(path, listOf({ a: one, b: two }));
  ok(await isFound(again, 'b', two));
});

test('a path that leads nowhere is told before anyone asks', async () => {
  const warned = Promise.withResolvers<unknown>();
  openScannerKeys(
    { kind: 'file', path: '/nowhere/keys.json' },
    { log: { ...log, warn: (fields: unknown) => warned.resolve(fields) } },
  );
  ok(String(Reflect.get(Object(await warned.promise), 'error')).includes('/nowhere/keys.json'));
});
