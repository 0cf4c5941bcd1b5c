// nginx and Caddy allow, deny and rate-limit requests with the files in examples/edge.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@keyrail/testing/ports.ts';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { proxyIsMissing, replaced } from '@keyrail/testing/stores/proxies.ts';
import { until } from '@keyrail/testing/until.ts';
import { deploy } from './deployment.ts';
import {
  ask,
  example,
  type Headers,
  openProxy,
  socketPath,
  startEdge,
  WAIT_MS_MAX,
} from './edge-proxy-ground.ts';
import { newGround } from './sdk-ground.ts';

/** The vendor's API, which responds with the headers it has received. */
async function openApi(t: TestContext): Promise<string> {
  const server = createServer((incoming, response) => {
    response.end(JSON.stringify(incoming.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const spoofed = {
  'x-keyrail-tenant-id': 'spoofed',
  'X-Keyrail-Key-Id': 'spoofed',
  'x-keyrail-tenant-external-id': 'spoofed',
  'x-keyrail-scopes': 'spoofed',
};

test('nginx and Caddy allow, deny and rate-limit requests with the files in examples/edge', async (t) => {
  const missing = proxyIsMissing('nginx') ?? proxyIsMissing('caddy');
  if (missing !== null) return t.skip(missing);
  const server = await (await deploy(t)).run();
  const ground = await newGround(server);
  const socket = socketPath(t);
  const tcp = await freePort();
  const settings = {
    KEYRAIL_URL: server.url,
    KEYRAIL_SECRET_KEY: ground.secretKey,
    KEYRAIL_PROJECT_ID: ground.projectId,
    KEYRAIL_EDGE_LISTEN: `unix:${socket}, 127.0.0.1:${tcp}`,
  };
  const scopes = ['invoices:read'];
  const good = await ground.issue(server, { scopes });
  const narrow = await ground.issue(server, { scopes: ['other'] });
  const rule = { id: 'a', limit: 2, window_ms: 3_600_000, algorithm: 'fixed', scope: 'key' };
  const edge = await startEdge(t, settings);
  const api = await openApi(t);
  const ports: Record<string, number> = {};
  for (const program of ['nginx', 'caddy'] as const) {
    for (const failsOpen of [false, true]) {
      const name = `${program}${failsOpen ? ' open' : ''}`;
      ports[name] = await openProxy(t, program, { api, socket, failsOpen });
    }
  }
  await until(async () => (await ask(tcp, '/readyz', {})).status === 200, WAIT_MS_MAX);
  const bearing = (key: string) => ({ authorization: `Bearer ${key}` });

  for (const [name, port] of Object.entries(ports)) {
    const limited = await ground.issue(server, { scopes, rate_limits: [rule] });
    await until(
      async () => (await ask(port, '/', bearing(limited.key))).status === 200,
      WAIT_MS_MAX,
    );
    const second = await ask(port, '/', bearing(limited.key));
    equal(second.status, 200, name);
    const third = await ask(port, '/', bearing(limited.key));
    deepEqual([third.status, JSON.parse(third.text).error.code], [429, 'rate_limited'], name);
    match(String(third.headers['retry-after']), /^\d+$/);

    const passed = await ask(port, '/x?scopes=none', { ...bearing(good.key), ...spoofed });
    equal(passed.status, 200, name);
    const seen: Headers = JSON.parse(passed.text);
    equal(seen['x-keyrail-key-id'], good.id);
    equal(seen['x-keyrail-tenant-external-id'], 'a');
    equal(seen['x-keyrail-scopes'], 'invoices:read');
    ok(!passed.text.includes('spoofed'), name);

    await deniesLikeTheSdk(port, { narrow: narrow.key, wrong: `${good.key.slice(0, -1)}x` });
  }

  await runPython(t, tcp, good.key);
  await ground.revoke(server, good.id);
  for (const [name, port] of Object.entries(ports)) {
    equal((await ask(port, '/', bearing(good.key))).status, 401, `revoked: ${name}`);
  }

  // After Edge is killed, a proxy that fails open still forwards requests, but removes forged
  // headers.
  await endProcess(edge);
  for (const [name, port] of Object.entries(ports)) {
    const answer = await ask(port, '/', { ...bearing(good.key), ...spoofed });
    if (name.endsWith('open')) {
      equal(answer.status, 200, name);
      ok(!answer.text.includes('spoofed'), name);
    } else if (name === 'nginx') {
      const message = 'The service is not available.';
      deepEqual(denialOf(answer), [503, { code: 'unavailable', message }]);
    } else equal(answer.status, 502, name);
  }
  // A new Edge process replaces the socket that the killed one left behind, and stops gracefully on
  // SIGTERM.
  const again = await startEdge(t, settings);
  await until(async () => (await ask(ports.nginx ?? 0, '/', {})).status === 401, WAIT_MS_MAX);
  again.kill('SIGTERM');
  deepEqual(await once(again, 'exit'), [0, null]);
});

/** Callers get the same reason, scopes and headers as from the SDK. */
async function deniesLikeTheSdk(port: number, keys: { narrow: string; wrong: string }) {
  const none = await ask(port, '/', spoofed);
  deepEqual(denialOf(none), [401, { code: 'missing_key', message: 'An API key is required.' }]);
  equal(none.headers['www-authenticate'], 'Bearer');
  const narrow = await ask(port, '/?scopes=other', { authorization: `Bearer ${keys.narrow}` });
  const message = 'This API key lacks a required scope.';
  const missing_scopes = ['invoices:read'];
  deepEqual(denialOf(narrow), [403, { code: 'insufficient_scope', message, missing_scopes }]);
  const wrong = await ask(port, '/', { authorization: `Bearer ${keys.wrong}` });
  deepEqual(denialOf(wrong), [401, { code: 'invalid_key', message: 'Invalid API key.' }]);
  equal(wrong.headers['cache-control'], 'no-store');
}

/** A denial's status and error, in the same form as the SDK's. */
const denialOf = ({ status, headers, text }: Awaited<ReturnType<typeof ask>>) => {
  match(String(headers['content-type']), /^application\/json/);
  return [status, JSON.parse(text).error];
};

/** Runs an example in another language, with only its port replaced. */
async function runPython(t: TestContext, port: number, key: string): Promise<void> {
  const run = promisify(execFile);
  const isThere = await run('python3', ['--version']).then(
    () => true,
    () => false,
  );
  if (!isThere) return t.diagnostic('no python3: the example was not run');
  const program = replaced(example('verify.py'), [['4410', String(port)]]);
  const { stdout } = await run('python3', ['-c', program, key]);
  equal(stdout, 'allowed a\n');
  const refused = await run('python3', ['-c', program, 'kr_live_none']);
  equal(refused.stdout, 'refused 401 malformed_key\n');
}
