// A vendor moves from another product: its entire key file is imported into a deployment with the
// real command-line tool, and a node receives the keys.
import { deepEqual, equal } from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { home, keyrailProcess } from '../../packages/cli/test/harness.ts';
import { createKeyrail } from '../../packages/sdk/src/keyrail.ts';
import { deploy } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const KEYS = 100_000;
const BATCHES = KEYS / 1_000;
const TENANTS = ['a', 'Globex, Inc.', 'ÄÖ "quoted"'];

const keyText = (number: number): string => `sk_live_${lookupHash(String(number)).slice(0, 32)}`;
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function* csvOf(keys: number): Generator<string> {
  yield 'key,tenant_external_id,scopes,meta\r\n';
  for (let number = 0; number < keys; number += 1) {
    const tenant = quoted(TENANTS[number % TENANTS.length] ?? '');
    yield `${keyText(number)},${tenant},read write,${quoted(`{"n":${number}}`)}\r\n`;
  }
}

test('a hundred thousand keys are imported from one CSV file, and a node accepts them', async (t) => {
  const server = await (await deploy(t)).run();
  const ground = await newGround(server);
  for (const external_id of TENANTS.slice(1)) {
    await server.as(ground.secretKey)('POST /v1/tenants', { external_id });
  }
  const directory = await home(t);
  const file = join(directory, 'keys.csv');
  await pipeline(csvOf(KEYS), createWriteStream(file));
  const keyrail = keyrailProcess(directory, {
    KEYRAIL_URL: server.url,
    KEYRAIL_TOKEN: ground.secretKey,
  });
  const place = ['--project', 'orders', '--env', 'live', '--plain', '--json'];
  const began = performance.now();
  const ran = await keyrail(['keys', 'import', file, ...place]);
  t.diagnostic(`imported in ${Math.round(performance.now() - began)} ms`);
  equal(ran.code, 0, ran.stderr);
  const lines = ran.stdout.trimEnd().split('\n');
  equal(lines.length, BATCHES + 1);
  deepEqual(JSON.parse(lines.at(-1) ?? ''), { rows: KEYS, imported: KEYS, known: 0 });

  const { policy_version: version } = await server.as(ground.secretKey)('GET /v1/projects/{id}', {
    id: ground.projectId,
  });
  equal(version, 1 + BATCHES, 'one version for each batch');
  const node = createKeyrail(ground.options(server.url));
  t.after(() => node.close());
  // On a slow machine, the snapshot with all keys takes longer than the default wait.
  equal(await node.ready(60_000), true);
  equal(node.state().keys, KEYS);
  for (let number = 0; number < KEYS; number += 997) {
    equal(node.verify(keyText(number), { scopes: ['read', 'write'], env: 'live' }).allowed, true);
  }
  equal(node.verify(keyText(KEYS)).allowed, false);
});
