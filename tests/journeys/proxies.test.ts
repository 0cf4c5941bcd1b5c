// Tests the proxies in docs/deploy.md with exactly the files in deploy/. Only ports, addresses and
// the certificate paths are replaced.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createCertificate } from '@keyrail/testing/certificate.ts';
import { freePort } from '@keyrail/testing/ports.ts';
import {
  type ProxyProgram,
  proxyIsMissing,
  replaced,
  startProxy,
  writeCaddy,
  writeNginx,
} from '@keyrail/testing/stores/proxies.ts';
import { deploy, type Running } from './deployment.ts';

const HOST = 'keyrail.example.com';
const ROOT = join(import.meta.dirname, '..', '..');
const KIB = 1024;
const LONG_TOKEN = 60 * KIB;
const BODY_TOO_LARGE = 8 * KIB * KIB + KIB;
/** One more attempt than an IP address may make in a minute. */
const ATTEMPTS = 121;

type Ports = { upstream: string; secure: number; plain: number };
type Proxy = {
  program: ProxyProgram;
  /** Writes the configuration, and returns the program's command-line arguments. */
  configure(directory: string, ports: Ports): string[];
};

const example = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8');

const nginx: Proxy = {
  program: 'nginx',
  configure(directory, { upstream, secure, plain }) {
    const files = createCertificate(directory, HOST);
    ok(files, 'openssl creates a certificate');
    const site = replaced(example('nginx.conf'), [
      ['127.0.0.1:4400', upstream],
      ['listen 443 ssl;', `listen 127.0.0.1:${secure} ssl;`],
      ['listen [::]:443 ssl;', ''],
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen [::]:80;', ''],
      [`/etc/ssl/${HOST}/fullchain.pem`, files.certificate],
      [`/etc/ssl/${HOST}/privkey.pem`, files.key],
    ]);
    return writeNginx(directory, site);
  },
};

const caddy: Proxy = {
  program: 'caddy',
  configure(directory, { upstream, secure, plain }) {
    const site = replaced(example('Caddyfile'), [['127.0.0.1:4400', upstream]]);
    // Uses a local certificate authority instead of a public one, and writes only to this
    // directory.
    const options = [
      'local_certs',
      'skip_install_trust',
      `https_port ${secure}`,
      `http_port ${plain}`,
      'default_bind 127.0.0.1',
    ];
    return writeCaddy(directory, options, site);
  },
};

type Asked = { path: string; method?: string; headers?: Record<string, string>; body?: string };
type Answered = { status: number; headers: Record<string, unknown>; text: string };

const ask = (port: number, isSecure: boolean, asked: Asked): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { path, method = 'GET', headers, body } = asked;
    const send = isSecure ? secureRequest : plainRequest;
    const to = { host: '127.0.0.1', port, path, method, headers: { host: HOST, ...headers } };
    const sent = send(
      { ...to, servername: HOST, rejectUnauthorized: false, agent: false },
      async (response) => {
        let text = '';
        for await (const part of response.setEncoding('utf8')) text += part;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

async function start(t: TestContext, proxy: Proxy, server: Running): Promise<Ports> {
  const upstream = new URL(server.url).host;
  const ports = { upstream, secure: await freePort(), plain: await freePort() };
  await startProxy(t, proxy.program, {
    configure: (directory) => proxy.configure(directory, ports),
    request: () => ask(ports.secure, true, { path: '/healthz' }),
  });
  return ports;
}

for (const proxy of [nginx, caddy]) {
  test(`${proxy.program} forwards what Keyrail needs if it is configured as in deploy/`, async (t) => {
    const missing = proxyIsMissing(proxy.program);
    if (missing !== null) return t.skip(missing);
    const deployment = await deploy(t, {
      KEYRAIL_PUBLIC_URL: `https://${HOST}`,
      KEYRAIL_TRUST_PROXY: '127.0.0.1,::1',
      KEYRAIL_AUTH_THROTTLE: 'on',
    });
    const { secure, plain } = await start(t, proxy, await deployment.run());

    const ready = await ask(secure, true, { path: '/readyz' });
    deepEqual([ready.status, JSON.parse(ready.text).status], [200, 'ok']);
    match(String(ready.headers['strict-transport-security']), /max-age/);

    const redirect = await ask(plain, false, { path: '/docs?a=b' });
    equal(Math.floor(redirect.status / 100), 3);
    match(String(redirect.headers.location), new RegExp(`^https://${HOST}(:\\d+)?/docs\\?a=b$`));

    // Keyrail itself rejects both of these requests, so the proxy must have forwarded them in full.
    const authorization = `Bearer ${'x'.repeat(LONG_TOKEN)}`;
    const long = await ask(secure, true, { path: '/v1/workspace', headers: { authorization } });
    deepEqual([long.status, JSON.parse(long.text).error.code], [401, 'invalid_key']);
    const large = await ask(secure, true, {
      path: '/v1/auth/sessions',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ' '.repeat(BODY_TOO_LARGE),
    });
    deepEqual([large.status, JSON.parse(large.text).error.code], [413, 'payload_too_large']);

    // Clients can't choose the address their attempts are counted against.
    const attempt = (_: unknown, n: number) =>
      ask(secure, true, {
        path: '/v1/auth/invites/preview',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${n}` },
        body: JSON.stringify({ token: 'not-a-token' }),
      });
    const attempts = await Promise.all(Array.from({ length: ATTEMPTS }, attempt));
    ok(
      attempts.some(({ status }) => status === 429),
      'all attempts count against one address',
    );
  });
}
