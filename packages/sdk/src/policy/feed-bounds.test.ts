// Excessive feeds: responses that decompress to a huge size, endless pages, keys that were not
// requested. Each is rejected, `state()` reports it, and the last good policy stays in force.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { until } from '@keyrail/testing/until.ts';
import { uuidOf } from '../../test/entries.ts';
import { nodeOn, Plane, type Watched } from '../../test/plane.ts';
import type { KeyrailOptions } from '../api/options.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('../../test/small-program.ts'));
const BOMB_BYTES = 62_000_000;
const TENANTS = [uuidOf(1, 4), uuidOf(2, 4)];

async function started(
  t: TestContext,
  options: Partial<KeyrailOptions> = {},
  prepare: (plane: Plane) => void = () => {},
): Promise<Watched> {
  const plane = new Plane();
  prepare(plane);
  const watched = nodeOn(plane, options);
  t.after(() => watched.node.close());
  await watched.clock.pass(1);
  return watched;
}

const reasonOf = ({ node }: Watched, key: string) => {
  const decision = node.verify(key);
  return decision.allowed ? 'allowed' : decision.reason;
};

for (const [name, value] of [
  ['lists', '[],'],
  ['objects', '{},'],
] as const) {
  test(`a 61 KB response that decompresses to 62 MB of ${name} does not crash a process with little memory`, async (t) => {
    const bomb = gzipSync(`{"keys":[${value.repeat(BOMB_BYTES / value.length)}1]}`);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const server = createServer((_, response) => void response.writeHead(200, headers).end(bomb));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const flags = ['--conditions=keyrail-source', '--max-old-space-size=96'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...flags,
      PROGRAM,
      `http://127.0.0.1:${port}`,
    ]);
    ok(stdout.includes('too_large'), stdout);
  });
}

test('a repeated cursor is not followed', async (t) => {
  const watched = await started(t);
  const { plane, node, clock } = watched;
  const kept = plane.issue();
  const revoked = plane.issue();
  await clock.pass(1);
  plane.fault = ({ query }) => {
    const page = plane.snapshot(query.has('cursor') ? 1 : 0, 1);
    return Response.json({ ...page, next_cursor: 'again' });
  };
  plane.revoke(revoked);
  const asked = plane.asked.length;
  await clock.pass(2_000);
  ok(plane.asked.length - asked < 10, `${plane.asked.length - asked} pages`);
  ok(node.state().failure?.message.includes('repeats a cursor'), node.state().failure?.message);
  equal(reasonOf(watched, kept), 'allowed');
  plane.fault = () => null;
  await clock.pass(60_000);
  deepEqual([reasonOf(watched, revoked), node.state().failure], ['unknown_key', null]);
});

test('paging stops at a page without new keys, even if the cursors differ', async (t) => {
  let page = 0;
  const { plane, node, clock } = await started(t, {}, (made) => {
    made.issue();
    made.fault = () => {
      page += 1;
      return Response.json({ ...made.snapshot(0), next_cursor: `page ${page}` });
    };
  });
  await clock.pass(2_000);
  ok(plane.asked.length < 10, `${plane.asked.length} pages`);
  ok(node.state().failure?.message.includes('no new key'), node.state().failure?.message);
});

test('a response with more keys than requested is rejected', async (t) => {
  const { node } = await started(t, {}, (made) => {
    made.pageMax = 1_001;
    for (let count = 0; count < 1_001; count += 1) made.issue();
    made.fault = () => Response.json(made.snapshot(0));
  });
  ok(node.state().failure?.message.includes('more than 1000'), node.state().failure?.message);
});

test('after a response that is too large, smaller pages are requested', async (t) => {
  const scopes = Array.from({ length: 64 }, (_, at) => `${at}`.padEnd(200, 'x'));
  const { plane, node, clock } = await started(t, {}, (made) => {
    for (let count = 0; count < 700; count += 1) made.issue({ scopes });
  });
  await until(() => clock.pass(100).then(() => node.state().version !== null));
  deepEqual([node.state().keys, node.state().failure], [700, null]);
  equal(plane.asked.find(({ query }) => query.has('cursor'))?.query.get('max_keys'), '50');
});

test('a key for the wrong tenant or environment makes the whole response invalid', async (t) => {
  const env = 'live';
  const watched = await started(t, { env, tenantIds: TENANTS }, (made) => {
    made.env = env;
  });
  const { plane, node, clock } = watched;
  const [mine = ''] = TENANTS;
  const good = plane.issue({ tenant_id: mine });
  await clock.pass(1);
  for (const more of [{ tenant_id: uuidOf(3, 4) }, { tenant_id: mine, env: 'test' as const }]) {
    const foreign = plane.issue(more);
    await clock.pass(20_000);
    equal(reasonOf(watched, foreign) === 'allowed', false);
    ok(
      /tenant|environment/.test(node.state().failure?.message ?? ''),
      node.state().failure?.message,
    );
    equal(reasonOf(watched, good), 'allowed');
    plane.revoke(foreign);
    await clock.pass(60_000);
    equal(node.state().failure, null);
  }
});
