// nginx and Caddy in front of an API, with exactly the files of examples/edge: only ports, the
// socket and the comment signs of fail-open are replaced. Edge runs as the program of operators.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@keyrail/testing/ports.ts';
import { endProcess } from '@keyrail/testing/processes/end-process.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import {
  type ProxyProgram,
  proxyIsMissing,
  replaced,
  startProxy,
  writeCaddy,
  writeNginx,
} from '@keyrail/testing/stores/proxies.ts';
import { until } from '@keyrail/testing/until.ts';
import { deploy } from './deployment.ts';
import { newGround } from './sdk-ground.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const EDGE = join(ROOT, 'packages/edge/bin/keyrail-edge.js');
const SOCKET = '/run/keyrail-edge/edge.sock';
const WAIT_MS_MAX = 30_000;

const example = (name: string): string => readFileSync(join(ROOT, 'examples/edge', name), 'utf8');

type Place = { directory: string; port: number; api: string; socket: string; failsOpen: boolean };

/** Writes the configuration, and returns the arguments of the program. */
const configure: Record<ProxyProgram, (place: Place) => string[]> = {
  nginx({ directory, port, api, socket, failsOpen }) {
    const site = replaced(example('nginx.conf'), [
      ['listen 8080;', `listen 127.0.0.1:${port};`],
      ['127.0.0.1:3000', api],
      [SOCKET, socket],
      ['#error_page 502 504', failsOpen ? 'error_page 502 504' : '#error_page 502 504'],
    ]);
    return writeNginx(directory, site);
  },
  caddy({ directory, port, api, socket, failsOpen }) {
    const site = replaced(example('Caddyfile'), [
      [':8080', `http://127.0.0.1:${port}`],
      ['127.0.0.1:3000', api],
      [SOCKET, socket],
      ['\t#', failsOpen ? '\t' : '\t#'],
    ]);
    const prose = /^\t (In this order|Fail closed|comment signs)/gm;
    return writeCaddy(directory, ['auto_https off'], site.replaceAll(prose, '\t#$1'));
  },
};

type Headers = Record<string, string | string[] | undefined>;
type Answered = { status: number; headers: Headers; text: string };

const ask = (port: number, path: string, headers: Record<string, string>): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port, path, headers, agent: false };
    const sent = request(to, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
    sent.on('error', reject).end();
  });

/** The vendor's API: it answers with the headers that reached it. */
async function openApi(t: TestContext): Promise<string> {
  const server = createServer((incoming, response) => {
    response.end(JSON.stringify(incoming.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openProxy(
  t: TestContext,
  program: ProxyProgram,
  more: Omit<Place, 'directory' | 'port'>,
): Promise<number> {
  const port = await freePort();
  await startProxy(t, program, {
    configure: (directory) => configure[program]({ ...more, directory, port }),
    request: () => ask(port, '/', {}),
  });
  return port;
}

type Settings = Record<string, string>;

async function startEdge(t: TestContext, settings: Settings): Promise<ChildProcess> {
  const child = spawn(process.execPath, [EDGE], {
    env: { ...inherited(), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => endProcess(child));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until(() => said.includes('listens on'), WAIT_MS_MAX);
  return child;
}

const spoofed = {
  'x-keyrail-tenant-id': 'spoofed',
  'X-Keyrail-Key-Id': 'spoofed',
  'x-keyrail-tenant-external-id': 'spoofed',
  'x-keyrail-scopes': 'spoofed',
};

test('nginx and Caddy admit, refuse and limit with the files of examples/edge', async (t) => {
  const missing = proxyIsMissing('nginx') ?? proxyIsMissing('caddy');
  if (missing !== null) return t.skip(missing);
  const server = await (await deploy(t)).run();
  const ground = await newGround(server);
  const directory = mkdtempSync(join(tmpdir(), 'kr-edge-socket-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const socket = join(directory, 'edge.sock');
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

    const none = await ask(port, '/', spoofed);
    equal(none.status, 401, name);
    equal(none.headers['www-authenticate'], 'Bearer');
    const refused = await ask(port, '/?scopes=other', bearing(narrow.key));
    deepEqual([refused.status, JSON.parse(refused.text).error.code], [403, 'insufficient_scope']);
    equal((await ask(port, '/', bearing(`${good.key.slice(0, -1)}x`))).status, 401, name);
  }

  await runPython(t, tcp, good.key);
  await ground.revoke(server, good.id);
  for (const [name, port] of Object.entries(ports)) {
    equal((await ask(port, '/', bearing(good.key))).status, 401, `revoked: ${name}`);
  }

  // Killed, not stopped. A proxy that fails open passes requests on, without any made-up header.
  await endProcess(edge);
  for (const [name, port] of Object.entries(ports)) {
    const answer = await ask(port, '/', { ...bearing(good.key), ...spoofed });
    if (name.endsWith('open')) {
      equal(answer.status, 200, name);
      ok(!answer.text.includes('spoofed'), name);
    } else ok([502, 503].includes(answer.status), `${name} ${answer.status}`);
  }
  // The socket that it left behind is replaced, and SIGTERM ends it in order.
  const again = await startEdge(t, settings);
  await until(async () => (await ask(ports.nginx ?? 0, '/', {})).status === 401, WAIT_MS_MAX);
  again.kill('SIGTERM');
  deepEqual(await once(again, 'exit'), [0, null]);
});

/** The example of another language, with only its port replaced. */
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
