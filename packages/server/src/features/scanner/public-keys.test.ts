// The scanner's public keys are cached for an hour, or longer if they can't be reloaded. Reports
// with unknown key identifiers cause only a few extra fetches.
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
const one = newKey();
const two = newKey();
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

const listOf = (keys: Record<string, KeyObject>) =>
  JSON.stringify({
    public_keys: Object.entries(keys).map(([key_identifier, key], at) => ({
      key_identifier,
      key: pemOf(key),
      is_current: at === 0,
    })),
  });

/** Loads keys from a URL. The test controls the responses and the clock. */
function remote(answer: () => Response | Promise<Response>) {
  const stub = { fetches: 0, nowMs: 0, answer };
  const keys = openScannerKeys(
    { kind: 'url', url: 'https://scanner.example/keys' },
    {
      log,
      nowMs: () => stub.nowMs,
      fetch: async () => {
        stub.fetches += 1;
        return stub.answer();
      },
    },
  );
  return { keys, stub };
}

const isFound = async (keys: ScannerKeys, id: string, key: KeyObject) =>
  (await keys.find(id))?.equals(key) === true;

const isAway = (error: unknown) => error instanceof ApiError && error.code === 'unavailable';

test('the list of public keys is loaded once an hour, and keys no longer marked as current are still accepted', async () => {
  const { keys, stub } = remote(() => new Response(listOf({ a: one, b: two })));
  ok(await isFound(keys, 'a', one));
  ok(await isFound(keys, 'b', two));
  stub.nowMs = 3_599_999;
  ok(await isFound(keys, 'a', one));
  equal(stub.fetches, 1);
  stub.nowMs = 3_600_000;
  ok(await isFound(keys, 'a', one));
  equal(stub.fetches, 2);
});

test('an unknown key identifier immediately triggers one extra fetch', async () => {
  const { keys, stub } = remote(() => new Response(listOf({ a: one })));
  ok(await isFound(keys, 'a', one));
  stub.answer = () => new Response(listOf({ a: one, b: two }));
  ok(await isFound(keys, 'b', two));
  equal(stub.fetches, 2);
});

test('invented key identifiers cause at most three extra fetches in three minutes', async () => {
  const { keys, stub } = remote(() => new Response(listOf({ a: one })));
  await keys.find('a');
  const find = (at: number) => keys.find(`made-up-${at}`);
  const found = await Promise.all(Array.from({ length: 100 }, (_, at) => find(at)));
  ok(found.every((key) => key === null));
  for (let at = 0; at < 100; at += 1) equal(await find(at), null);
  equal(stub.fetches, 4);
  stub.nowMs = 3 * 60_000 + 1;
  for (let at = 0; at < 100; at += 1) equal(await find(at), null);
  equal(stub.fetches, 7);
});

test('concurrent lookups share one fetch', async () => {
  const { keys, stub } = remote(() => new Response(listOf({ a: one })));
  await Promise.all(Array.from({ length: 50 }, () => keys.find('a')));
  equal(stub.fetches, 1);
});

const faults: Record<string, () => Response | Promise<Response>> = {
  'an error': () => new Response('no', { status: 500 }),
  'a failed connection': () => Promise.reject(new TypeError('fetch failed')),
  'a response that is not JSON': () => new Response('<html>'),
  'JSON with the wrong structure': () => new Response('{"keys":[]}'),
  'a null response': () => new Response('null'),
  'an oversized response': () => new Response('x'.repeat(1_048_577)),
};

for (const [what, answer] of Object.entries(faults)) {
  test(`after ${what}, known keys are kept, and an unknown key identifier gets a 503`, async () => {
    const { keys, stub } = remote(() => new Response(listOf({ a: one })));
    await keys.find('a');
    stub.answer = answer;
    stub.nowMs = 2 * 3_600_000;
    ok(await isFound(keys, 'a', one));
    await rejects(keys.find('b'), isAway);
    stub.answer = () => new Response(listOf({ b: two }));
    stub.nowMs += 5000;
    ok(await isFound(keys, 'b', two));
    equal(await keys.find('a'), null, 'a key that is no longer listed is rejected');
  });

  test(`with ${what} from the start, lookups get a 503 until a later fetch succeeds`, async () => {
    const { keys, stub } = remote(answer);
    for (let at = 0; at < 20; at += 1) await rejects(keys.find('a'), isAway);
    ok(stub.fetches <= 4, `${stub.fetches}`);
    stub.answer = () => new Response(listOf({ a: one }));
    stub.nowMs = 5000;
    ok(await isFound(keys, 'a', one));
  });
}

test('keys of unsupported types are skipped, and the rest of the list is used', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  const { keys } = remote(() => new Response(listOf({ rsa: other, a: one })));
  ok(await isFound(keys, 'a', one));
  equal(await keys.find('rsa'), null);
  equal(await keys.find('__proto__'), null);
});

test('keys can also be loaded from a file', async (t) => {
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

test('a wrong key file path is logged at startup', async () => {
  const warned = Promise.withResolvers<unknown>();
  openScannerKeys(
    { kind: 'file', path: '/nowhere/keys.json' },
    { log: { ...log, warn: (fields: unknown) => warned.resolve(fields) } },
  );
  ok(String(Reflect.get(Object(await warned.promise), 'error')).includes('/nowhere/keys.json'));
});
