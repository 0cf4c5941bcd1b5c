import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { JsonText } from '../base/json-text.ts';
import { compressed } from './compress.ts';

const text = JSON.stringify(Array.from({ length: 400 }, (_, number) => ({ number })));

test('a response shared by many requests is compressed once for each encoding', async () => {
  const json = new JsonText(text);
  const [first, second, gzip] = await Promise.all([
    compressed(json, 'gzip, br'),
    compressed(json, 'br'),
    compressed(json, 'gzip'),
  ]);
  ok(first && second && gzip);
  equal(first.bytes, second.bytes, 'the same buffer');
  deepEqual([first.encoding, gzip.encoding], ['br', 'gzip']);
  equal(brotliDecompressSync(first.bytes).toString(), text);
  equal(gunzipSync(gzip.bytes).toString(), text);
});

test('a response is not compressed if it is short or the client accepts no encoding', async () => {
  equal(await compressed(new JsonText('{}'), 'br'), null);
  for (const accepted of ['', 'br;q=0, gzip;q=0.0', 'deflate']) {
    equal(await compressed(new JsonText(text), accepted), null, accepted);
  }
});
