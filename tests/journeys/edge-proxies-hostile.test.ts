// Requests that try to get past the nginx and Caddy examples, or to change what the API receives
// about the key. The API runs on three kinds of server, because CGI, WSGI and FastCGI treat several
// spellings of a header as the same.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { proxyIsMissing } from '@keyrail/testing/stores/proxies.ts';
import { until } from '@keyrail/testing/until.ts';
import { keyHeaderNames } from '../../packages/edge/src/key-headers.ts';
import { rawConnection } from '../../packages/edge/test/raw-http.ts';
import { deploy } from './deployment.ts';
import { type Backend, openFastCgi, openPlain, openWsgi } from './edge-backends.ts';
import { ask, openProxy, socketPath, startEdge, WAIT_MS_MAX } from './edge-proxy-ground.ts';
import { newGround } from './sdk-ground.ts';

type Header = readonly [name: string, value: string];
type Hostile = { name: string; headers: readonly Header[]; line?: string; body?: string };

const PROXIES = ['nginx', 'caddy'] as const;
/**
 * Some attacks succeed only sometimes: they depend on the order of a map, or on a race between two
 * sockets.
 */
const ROUNDS = 6;
const FILLER = 1000;

const nominated = (connection: string): readonly Header[] => [['Connection', connection]];
const spelled = (spelling: (name: string) => string): readonly Header[] =>
  keyHeaderNames.map((name) => [spelling(name), 'spoofed']);

/** Headers sent with a valid key. The API must receive exactly what Edge has determined. */
const changing: readonly Hostile[] = [
  ...keyHeaderNames.map((name) => ({
    name: `${name} is hop-by-hop`,
    headers: nominated(`close, ${name}`),
  })),
  { name: 'all are hop-by-hop', headers: nominated(`close, ${keyHeaderNames.join()}`) },
  {
    name: 'they are hop-by-hop in a second line, in lowercase',
    headers: [...nominated('close'), ...nominated(keyHeaderNames.join().toLowerCase())],
  },
  { name: 'the usual spelling', headers: spelled((name) => name) },
  { name: 'doubled', headers: [...spelled((name) => name), ...spelled((name) => name)] },
  { name: 'uppercase', headers: spelled((name) => name.toUpperCase()) },
  { name: 'underscores', headers: spelled((name) => name.replaceAll('-', '_')) },
  { name: 'the first dash as an underscore', headers: spelled((name) => name.replace('-', '_')) },
  {
    name: 'the last dash as an underscore',
    headers: spelled((name) => name.replace(/-(?=\w+$)/, '_')),
  },
  { name: 'dots', headers: spelled((name) => name.replaceAll('-', '.')) },
  {
    name: 'the first dash as a dot',
    headers: spelled((name) => name.replace('-', '.').toUpperCase()),
  },
  {
    name: 'in trailers',
    line: 'POST / HTTP/1.1',
    headers: [
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', keyHeaderNames.join()],
    ],
    body: `1\r\nx\r\n0\r\n${keyHeaderNames.map((name) => `${name}: spoofed\r\n`).join('')}\r\n`,
  },
];

const filled = (kilobytes: number): readonly Header[] =>
  Array.from({ length: kilobytes }, (_, at) => [`X-Filler-${at}`, 'x'.repeat(FILLER)]);

/** Hostile requests without a key. Edge is running, and the proxies are configured to fail open. */
const passing: readonly Hostile[] = [
  ...[8, 17, 60, 200, 900].map((size) => ({ name: `${size} KB`, headers: filled(size) })),
  { name: 'one large header', headers: [['X-Filler', 'x'.repeat(200_000)]] },
  { name: 'a large key', headers: [['X-Api-Key', 'x'.repeat(200_000)]] },
  { name: '1,200 headers', headers: Array.from({ length: 1200 }, (_, at) => [`A${at}`, '']) },
  { name: '3,000 headers', headers: Array.from({ length: 3000 }, (_, at) => [`A${at}`, '1']) },
  {
    name: 'all of it hop-by-hop',
    headers: nominated('close, Host, X-Forwarded-Uri, Content-Length'),
  },
  {
    name: 'an upgrade',
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ],
  },
  { name: 'an expectation', headers: [['Expect', '100-continue']], line: 'POST / HTTP/1.1' },
  ...['a b', '[::', 'a_b', '%zz', '\xe9', 'x'.repeat(300)].map((host) => ({
    name: `host ${host}`,
    headers: [['Host', host]] as const,
  })),
  { name: 'an odd path', headers: [], line: 'GET /%zz/../\xff?\xfe HTTP/1.1' },
  { name: 'another method', headers: [], line: 'PROPFIND / HTTP/1.1' },
  { name: 'an absolute URL', headers: [], line: 'GET http://other.example/auth HTTP/1.1' },
  {
    name: 'a large body',
    line: 'POST / HTTP/1.1',
    headers: [['Content-Length', '900000']],
    body: 'x'.repeat(900_000),
  },
];

async function sent(t: TestContext, port: number, hostile: Hostile) {
  const { headers, line = 'GET / HTTP/1.1', body = '' } = hostile;
  const usual: Header[] = [
    ['Host', 'api'],
    ['Connection', 'close'],
  ];
  const added = usual.filter(([name]) => headers.every(([given]) => given !== name));
  const all = [...added, ...headers];
  const raw = rawConnection(t, port);
  raw.send(`${line}\r\n${all.map((header) => `${header.join(': ')}\r\n`).join('')}\r\n${body}`);
  await until(() => raw.isClosed() || isWhole(raw.received()), WAIT_MS_MAX);
  const [head = '', text = ''] = finalOf(raw.received()).split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(' ')[1]), head, text };
}

/** The final response, after any interim responses (1xx). */
const finalOf = (received: string): string =>
  received.replace(/^(HTTP\/1\.1 100 .*?\r\n\r\n)+/s, '');

/** Returns whether a complete response has arrived, either with a Content-Length or in chunks. */
function isWhole(received: string): boolean {
  const [head = '', text = ''] = finalOf(received).split(/\r\n\r\n(.*)/s);
  const [, length] = /^content-length: (\d+)\r?$/im.exec(head) ?? [];
  return length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= Number(length);
}

async function scene(t: TestContext) {
  const server = await (await deploy(t)).run();
  const ground = await newGround(server);
  const socket = socketPath(t);
  await startEdge(t, {
    KEYRAIL_URL: server.url,
    KEYRAIL_SECRET_KEY: ground.secretKey,
    KEYRAIL_PROJECT_ID: ground.projectId,
    KEYRAIL_EDGE_LISTEN: `unix:${socket}`,
  });
  const { key, id } = await ground.issue(server, { scopes: ['invoices:read'] });
  const isReady = async (port: number) =>
    (await ask(port, '/', { authorization: `Bearer ${key}` })).status === 200;
  return { socket, key, id, isReady };
}

test('the nginx and Caddy examples withstand hostile requests', async (t) => {
  const missing = proxyIsMissing('nginx') ?? proxyIsMissing('caddy');
  if (missing !== null) return t.skip(missing);
  const { socket, key, id, isReady } = await scene(t);
  const plain = await openPlain(t);
  const wsgi = await openWsgi(t);
  const backends: Record<string, Backend | null> = { plain, wsgi, fastcgi: await openFastCgi(t) };

  for (const program of PROXIES) {
    for (const [name, backend] of Object.entries(backends)) {
      await t.test(
        `${program}: an API on a ${name} server receives exactly what Edge determined`,
        async (t) => {
          if (!backend) return t.skip('no python3');
          const port = await openProxy(t, program, { ...backend, socket, failsOpen: false });
          await until(() => isReady(port), WAIT_MS_MAX);
          for (const hostile of changing) await learnsTheTruth(t, { port, key, id, hostile });
        },
      );
    }
    await t.test(
      `${program}: while Edge is running, no request gets past it, even if the proxy fails open`,
      async (t) => {
        const port = await openProxy(t, program, { ...plain, socket, failsOpen: true });
        await until(() => isReady(port), WAIT_MS_MAX);
        for (const hostile of passing) await isRefused(t, { port, plain, hostile });
      },
    );
  }

  await t.test('Caddy accepts a WebSocket only with a valid key', async (t) => {
    const port = await openProxy(t, 'caddy', { ...plain, socket, failsOpen: false });
    const upgrade = nominated('Upgrade, X-Keyrail-Env');
    const headers: Header[] = [...upgrade, ['Upgrade', 'websocket']];
    const refused = await sent(t, port, { name: '', headers });
    equal(refused.status, 401);
    const raw = rawConnection(t, port);
    const all = [['Host', 'api'], ['X-Api-Key', key], ...headers];
    raw.send(`GET / HTTP/1.1\r\n${all.map((one) => `${one.join(': ')}\r\n`).join('')}\r\n`);
    await until(() => raw.received().includes('\r\n\r\n'), WAIT_MS_MAX);
    match(raw.received(), /^HTTP\/1\.1 101 /);
    match(raw.received(), /^x-seen: live\r$/im);
    raw.send('both ways');
    await until(() => raw.received().endsWith('both ways'));
  });
});

type Learning = { port: number; key: string; id: string; hostile: Hostile };

async function learnsTheTruth(t: TestContext, { port, key, id, hostile }: Learning) {
  const headers: Header[] = [['X-Api-Key', key], ...hostile.headers];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { status, text } = await sent(t, port, { ...hostile, headers });
    // A proxy may reject a malformed request.
    if (status === 400) continue;
    equal(status, 200, hostile.name);
    ok(!text.includes('spoofed'), `${hostile.name}: ${text}`);
    const seen: Record<string, string> = JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? '{}');
    const variables = keyHeaderNames.map(
      (name) => `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
    );
    deepEqual(
      variables.filter((name) => !seen[name]),
      [],
      `${hostile.name}: ${text}`,
    );
    equal(seen.HTTP_X_KEYRAIL_KEY_ID, id, hostile.name);
  }
}

type Refused = { port: number; plain: Backend; hostile: Hostile };

async function isRefused(t: TestContext, { port, plain, hostile }: Refused) {
  const before = plain.requests();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { status, head } = await sent(t, port, hostile);
    ok([400, 401, 431].includes(status), `${hostile.name}: ${head}`);
  }
  equal(plain.requests(), before, `${hostile.name} reached the API`);
}
