// The addresses that Edge listens on. The relay has its own address, separate from verification.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { exchanged, statusesIn } from '../test/raw-http.ts';
import { serveEdge } from './serve-edge.ts';
import { settingsIn } from './settings.ts';

async function edge(t: TestContext, settings: Record<string, string>): Promise<string[]> {
  const given = {
    KEYRAIL_URL: 'http://127.0.0.1:1',
    KEYRAIL_SECRET_KEY: mintCredential('secret_key', 'live', randomBytes).secret,
    KEYRAIL_PROJECT_ID: '01890000-0000-7000-8000-00000000000a',
    KEYRAIL_EDGE_LISTEN: '127.0.0.1:0',
    KEYRAIL_EDGE_TELEMETRY: 'off',
  };
  const { places, close } = await serveEdge(settingsIn({ ...given, ...settings }), () => {});
  t.after(close);
  return places.map((place) => `http://${place}`);
}

const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status;

test("the relay's address serves neither verification nor metrics", async (t) => {
  const [own = '', relay = ''] = await edge(t, { KEYRAIL_EDGE_RELAY: '127.0.0.1:0' });
  for (const path of ['/auth', '/envoy//~', '/readyz', '/metrics']) {
    equal(await statusOf(`${relay}${path}`), 404, path);
  }
  equal(await statusOf(`${relay}/v1/verify`, 'POST'), 404);
  equal(await statusOf(`${relay}/healthz`), 200);
  equal(await statusOf(`${own}/metrics`), 200);
  equal(await statusOf(`${own}/v1/policy/snapshot?project_id=p`), 404, 'and nothing is relayed');
});

test("a request with 60,000 headers gets a response, so proxies don't consider Edge down", async (t) => {
  const [own = '', relay = ''] = await edge(t, { KEYRAIL_EDGE_RELAY: '127.0.0.1:0' });
  for (const [place, count] of [
    [own, 60_000],
    [relay, 1_100],
  ] as const) {
    const head = `GET /auth HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(count)}\r\n`;
    const answer = await exchanged(t, Number(new URL(place).port), head);
    deepEqual(statusesIn(answer), [400], place);
  }
});

test('without the relay setting, Edge does not listen on an address for the relay', async (t) => {
  const places = await edge(t, {});
  deepEqual(places.length, 1);
});

test("Edge does not start if the socket's path is taken by something other than a socket", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kr-edge-place-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file');
  const link = join(folder, 'link');
  const dangling = join(folder, 'dangling');
  writeFileSync(file, 'precious');
  symlinkSync(file, link);
  symlinkSync(join(folder, 'nothing'), dangling);
  for (const path of [file, link, dangling, folder]) {
    const failed = edge(t, { KEYRAIL_EDGE_LISTEN: `unix:${path}` });
    await rejects(failed, { message: `${path} is not a socket, so Edge does not replace it.` });
  }
  equal(readFileSync(file, 'utf8'), 'precious');
});

test('a socket that another process is listening on is not replaced', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kr-edge-place-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'edge.sock');
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(path, resolve));
  t.after(() => other.close());
  await rejects(
    edge(t, { KEYRAIL_EDGE_LISTEN: `unix:${path}` }),
    /Another process is already listening on/,
  );
});
