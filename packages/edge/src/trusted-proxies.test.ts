// Edge serves only the proxies that the operator has listed.
import { deepEqual, equal } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createTestKeyrail } from '@keyrail/sdk/testing';
import { createListener } from './answer-requests.ts';
import { readAllHeaders } from './too-many-headers.ts';
import { createTrust } from './trusted-proxies.ts';

type Asked = { method: string; path: string; headers: Record<string, string> };

/**
 * Runs an Edge on a Unix socket, on IPv4 and on IPv6. Returns a function that sends a request to
 * one of the three and returns the response's status.
 */
async function edge(t: TestContext, trusted: readonly string[]) {
  const keyrail = await createTestKeyrail();
  t.after(() => keyrail.close());
  const directory = mkdtempSync(join(tmpdir(), 'kr-edge-trust-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const warnings: string[] = [];
  const listener = createListener({
    keyrail,
    defaults: { onNoPolicy: 'deny', onLimitsUnreachable: 'allow' },
    warn: (message) => void warnings.push(message),
    relay: null,
    isTrusted: createTrust(trusted),
  });
  const socketPath = join(directory, 'edge.sock');
  const places: Record<string, ListenOptions> = {
    unix: { path: socketPath },
    v4: { host: '127.0.0.1', port: 0 },
    v6: { host: '::', port: 0 },
  };
  const targets: Record<string, object> = {};
  for (const [name, place] of Object.entries(places)) {
    const server = createServer({ maxHeaderSize: 1024 * 1024 }, listener);
    readAllHeaders(server);
    await new Promise<void>((resolve) => server.listen(place, resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    targets[name] = name === 'unix' ? { socketPath } : { host: '127.0.0.1', port };
  }
  const statusOf = (place: string, asked: Asked) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ ...targets[place], ...asked, agent: false }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      });
      sent.on('error', reject).end(asked.method === 'POST' ? '{"key":null}' : '');
    });
  return { statusOf, warnings };
}

const endpoints = [
  { method: 'GET', path: '/auth', plain: 401 },
  { method: 'GET', path: '/envoy//~', plain: 401 },
  { method: 'POST', path: '/v1/verify', plain: 200 },
  { method: 'GET', path: '/metrics', plain: 200 },
];

const forwarded = ['x-forwarded-for', 'X-Forwarded-Anything', 'forwarded', 'Via'];

for (const { method, path, plain } of endpoints) {
  test(`${path} rejects requests from an unlisted proxy`, async (t) => {
    const { statusOf, warnings } = await edge(t, ['unix']);
    for (const name of forwarded) {
      const asked = { method, path, headers: { [name]: 'x' } };
      equal(await statusOf('v4', asked), 403, name);
      equal(await statusOf('v6', asked), 403, name);
      equal(await statusOf('unix', asked), plain, name);
    }
    equal(await statusOf('v4', { method, path, headers: {} }), plain, 'without a proxy');
    equal(warnings.length, 1, 'it is logged once');
  });

  test(`${path} serves a proxy whose IP address is in a listed range`, async (t) => {
    const { statusOf, warnings } = await edge(t, ['10.0.0.0/8', '127.0.0.0/8']);
    const asked = { method, path, headers: { via: '1.1 proxy' } };
    equal(await statusOf('v4', asked), plain);
    equal(await statusOf('v6', asked), plain, 'an IPv4 address in an IPv6 socket');
    equal(await statusOf('unix', asked), 403, 'unix is not listed');
    deepEqual(warnings.length, 1);
  });
}

test("a proxy's header cannot be hidden behind more headers than Node.js 20 reads", async (t) => {
  const { statusOf } = await edge(t, ['unix']);
  const filler = Array.from({ length: 1_000 }, (_, at) => [`a${at}`, '']);
  for (const { method, path } of endpoints) {
    const headers = { ...Object.fromEntries(filler), via: 'x' };
    equal(await statusOf('v4', { method, path, headers }), 400, path);
  }
});

test('/healthz and /readyz respond to any proxy, listed or not', async (t) => {
  const { statusOf } = await edge(t, []);
  const headers = { via: '1.1 proxy' };
  equal(await statusOf('v4', { method: 'GET', path: '/healthz', headers }), 200);
  equal(await statusOf('v4', { method: 'GET', path: '/readyz', headers }), 200);
});

test('a lost connection is not mistaken for a Unix socket', () => {
  const lost = { remoteAddress: undefined, destroyed: true } as never;
  equal(createTrust(['unix'])(lost), false);
  const linkLocal = { remoteAddress: 'fe80::1%eth0', destroyed: false } as never;
  equal(createTrust(['fe80::/10'])(linkLocal), true);
});
