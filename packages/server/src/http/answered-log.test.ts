// A response's log line identifies the caller even if the request is denied, and contains no
// secrets.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { PASSWORD, someone } from '@keyrail/testing/people.ts';
import { SCANNER_KEY_ID, signedHeaders } from '@keyrail/testing/scanner.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';
import { BOOTSTRAP_TOKEN, seededBytes } from '@keyrail/testing/test-app.ts';
import type { InjectOptions } from 'fastify';
import { loggedNetworkOf } from '../access/client-networks.ts';
import { openLog } from '../base/log.ts';
import { chosenRequestId } from './request-id.ts';

type Line = { line: string; status: number; principal: object | null; network?: string };

function logged(t: TestContext, app: Harness) {
  const out = new PassThrough();
  let text = '';
  out.on('data', (chunk) => {
    text += chunk;
  });
  const log = openLog('info', out);
  const { app: beside } = appBeside(t, app.testApp, { log, trustProxy: ['127.0.0.1'] });
  return {
    text: () => text,
    /** Sends a request, and returns its log line and its response. */
    async ask(request: InjectOptions, token?: string) {
      const before = text.length;
      const headers = {
        ...request.headers,
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const response = await beside.http.inject({ ...request, headers });
      const lines = text.slice(before).split('\n').filter(Boolean);
      const line: Line = JSON.parse(lines.find((each) => each.includes('"responded"')) ?? '{}');
      return { ...line, response };
    },
  };
}

test('every kind of caller is logged, whether or not its request succeeds', async (t) => {
  const app = await harness(t);
  const { ask, text } = logged(t, app);
  const { userId, token: session } = await app.people.owner();
  const member = await app.people.member();
  const { token: embed } = await app.embed();
  const { data } = await app.as.liveKey('GET /v1/secret_keys');
  const idOf = (env: string) => data.find((each) => each.env === env)?.id;
  const workspace = { url: '/v1/workspace' };
  const invite = { method: 'POST' as const, url: '/v1/invites', payload: {} };
  const named = async (request: InjectOptions, token?: string) => {
    const { status, principal, network } = await ask(request, token);
    return [status, principal, network];
  };
  const live = { kind: 'secret_key', id: idOf('live') };
  const person = { kind: 'user', id: userId };
  deepEqual(await named(workspace, app.tokens.liveKey), [200, live, undefined]);
  deepEqual(await named(workspace, session), [200, person, undefined]);
  const test = { kind: 'secret_key', id: idOf('test') };
  deepEqual(await named(invite, app.tokens.testKey), [403, test, undefined]);
  deepEqual(await named(invite, member.token), [
    403,
    { kind: 'user', id: member.userId },
    undefined,
  ]);
  deepEqual(await named(workspace, BOOTSTRAP_TOKEN), [
    403,
    { kind: 'bootstrap', id: null },
    undefined,
  ]);
  const [, inEmbed] = await named(workspace, embed);
  equal(Reflect.get(Object(inEmbed), 'kind'), 'embed');
  const { secret } = mintCredential('secret_key', 'live', seededBytes('unknown'));
  deepEqual(await named(workspace, secret), [401, null, undefined]);
  deepEqual(await named(workspace), [401, null, undefined]);
  for (const token of [app.tokens.liveKey, app.tokens.testKey, session, embed, secret]) {
    ok(!text().includes(token));
  }
  ok(!text().includes(BOOTSTRAP_TOKEN));
});

test('a successful sign-in is logged with the user and network, a failed one only with the network', async (t) => {
  const app = await harness(t);
  const { ask, text } = logged(t, app);
  const { email, userId, token } = await someone(app);
  const from = { 'x-forwarded-for': '203.0.113.77' };
  const signIn = (password: string, headers: Record<string, string> = from) =>
    ask({ method: 'POST', url: '/v1/auth/sessions', headers, payload: { email, password } });
  const right = await signIn(PASSWORD);
  deepEqual(
    [right.status, right.principal, right.network],
    [201, { kind: 'user', id: userId }, '203.0.113.0/24'],
  );
  const wrong = await signIn('a wrong password, for once', {
    'x-forwarded-for': '2001:db8:1:2:3:4:5:6',
  });
  deepEqual([wrong.status, wrong.principal, wrong.network], [401, null, '2001:db8:1::/48']);
  const me = await ask({ url: '/v1/auth/me', headers: from }, token);
  deepEqual([me.principal, me.network], [{ kind: 'user', id: userId }, '203.0.113.0/24']);
  const invalid = await ask({
    method: 'POST',
    url: '/v1/auth/email_verifications/consume',
    headers: from,
    payload: { token: 'x'.repeat(43) },
  });
  deepEqual([invalid.status, invalid.principal, invalid.network], [400, null, '203.0.113.0/24']);
  for (const private_ of [email, PASSWORD, token, '203.0.113.77', '2001:db8:1:2']) {
    ok(!text().includes(private_), private_);
  }
});

test('log lines identify the secret scanner by its signing key, and only if its signature is valid', async (t) => {
  const app = await harness(t);
  const { ask } = logged(t, app);
  const payload = JSON.stringify([]);
  const url = '/v1/webhooks/scanner/secret_scanning';
  const headers = signedHeaders(Buffer.from(payload));
  const signed = await ask({ method: 'POST', url, headers, payload });
  deepEqual([signed.status, signed.principal], [200, { kind: 'scanner', id: SCANNER_KEY_ID }]);
  const forged = await ask({ method: 'POST', url, headers, payload: '[ ]' });
  deepEqual([forged.status, forged.principal], [401, null]);
});

test('a request ID that looks like a credential is neither logged nor sent back', async (t) => {
  const app = await harness(t);
  const { ask, text } = logged(t, app);
  const native = await app.given.key();
  const { token: embed } = await app.embed();
  const token = 'mB3-x_Qp7'.repeat(5).slice(0, 43);
  const hidden = [
    app.tokens.liveKey,
    `id-${app.tokens.testKey}`,
    app.tokens.liveKey.toUpperCase(),
    native.key,
    native.key.slice(0, 20),
    embed.slice(0, 128),
    token,
    `${app.workspaceId}.${token}`,
    'f'.repeat(64),
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  ];
  for (const id of hidden) {
    const { response } = await ask({ url: '/healthz', headers: { 'x-request-id': id } });
    const sent = String(response.headers['x-request-id']);
    ok(sent !== id && sent.length > 0, id);
    ok(!text().includes(id), id);
    const unknown = await ask({ url: '/nowhere', headers: { 'x-request-id': id } });
    ok(unknown.response.headers['x-request-id'] !== id, id);
  }
});

test('request IDs set by proxies and tracing systems are kept', () => {
  for (const id of [
    'req-1',
    '01890c5e-7b21-7c3a-9d5e-000000000008',
    '0af7651916cd43dd8448eb211c80319c',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    '1-5759e988-bd862e3fe1be46a994272793',
    '7d3f1c9a8b2e4f60-FRA',
  ]) {
    equal(chosenRequestId(id), id);
  }
  for (const id of ['', 'a b', 'x\ny', '{"a":1}', 'a'.repeat(129), '\u001b[31m', 'é']) {
    equal(chosenRequestId(id), undefined, JSON.stringify(id));
  }
  equal(chosenRequestId(['a', 'b']), undefined);
});

test('the logged network is a /24 or a /48, regardless of the address’s notation', () => {
  for (const [address, network] of [
    ['198.51.100.7', '198.51.100.0/24'],
    ['::ffff:198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:aaaa:bbbb::1', '2001:db8:aaaa::/48'],
    ['::1', '::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['unix', null],
  ] as const) {
    equal(loggedNetworkOf(address), network, address);
  }
});
