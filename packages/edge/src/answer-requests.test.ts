// Edge over HTTP: its responses to proxies, to local processes and to hostile requests.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createTestKeyrail, type TestKeyrail } from '@keyrail/sdk/testing';
import { bodyIn, listening, verifying } from '../test/listening.ts';
import { createListener } from './answer-requests.ts';
import { keyHeaderNames } from './key-headers.ts';
import { createTrust } from './trusted-proxies.ts';

const warnings: string[] = [];
const isTrusted = createTrust(['127.0.0.1']);

async function edge(t: TestContext, keyrail?: TestKeyrail) {
  const include = ['externalId'] as const;
  const node = keyrail ?? (await createTestKeyrail({ include }));
  t.after(() => node.close());
  const defaults = { onNoPolicy: 'deny', onLimitsUnreachable: 'allow' } as const;
  const warn = (message: string) => void warnings.push(message);
  const parts = { keyrail: node, defaults, warn, relay: null, isTrusted };
  const ask = await listening(t, createListener(parts));
  return { ask, node };
}

const bearing = (key: string, more = {}) => ({
  headers: { authorization: `Bearer ${key}`, ...more },
});

test('for an allowed key, the response is an empty 200 with all the headers that describe the key', async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue({ scopes: ['invoices:read', 'a b,c', 'é%'] });
  for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
    const answer = await ask('/auth?scopes=invoices:read&env=live&route=/x', {
      method,
      ...bearing(key, { 'x-forwarded-method': 'PUT', 'x-forwarded-uri': '/x?a=b' }),
    });
    deepEqual([answer.status, await answer.text()], [200, '']);
    for (const name of keyHeaderNames) ok(answer.headers.has(name), name);
    equal(answer.headers.get('x-keyrail-scopes'), 'invoices:read a%20b%2Cc %C3%A9%25');
    equal(answer.headers.get('x-keyrail-degraded'), 'false');
  }
  await node.close();
  const [event] = node.events();
  deepEqual(
    [Object(event).method, Object(event).path, Object(event).route, Object(event).status],
    ['PUT', '/x', '/x', 200],
  );
});

test("for a denied key, the response has the same body and headers as the SDK's", async (t) => {
  const { ask, node } = await edge(t);
  const rule = { id: 'a', limit: 1, windowMs: 60_000, algorithm: 'fixed', scope: 'key' } as const;
  const { key } = await node.issue({ scopes: ['read'], rateLimits: [rule] });
  const none = await ask('/auth');
  deepEqual([none.status, (await bodyIn(none)).error.code], [401, 'missing_key']);
  equal(none.headers.get('www-authenticate'), 'Bearer');
  const scope = await ask('/auth?scopes=read,write', bearing(key));
  deepEqual([scope.status, (await bodyIn(scope)).error.missing_scopes], [403, ['write']]);
  equal((await ask('/auth?env=test', bearing(key))).status, 403);
  const first = await ask('/auth', bearing(key));
  match(first.headers.get('ratelimit') ?? '', /^"a";r=0;t=\d+$/);
  const limited = await ask('/auth', bearing(key));
  deepEqual([limited.status, (await bodyIn(limited)).error.code], [429, 'rate_limited']);
  match(limited.headers.get('retry-after') ?? '', /^\d+$/);
  equal((await ask('/auth?cost=0', bearing(key))).status, 200, 'a cost of zero');
});

const LIMITS_ASKED = /^keyrail_node_requests_total\{purpose="limits",outcome="answer"\} (\d+)$/m;

test('with leases, most rate-limited requests need no call to the control plane, and no limit is exceeded', async (t) => {
  const CALLS = 100;
  const rule = { id: 'a', windowMs: 3_600_000, algorithm: 'fixed', scope: 'key' } as const;
  const asked = new Map<boolean, number>();
  for (const leases of [false, true]) {
    const keyrail = await createTestKeyrail({ rateLimit: { leases } });
    const { ask, node } = await edge(t, keyrail);
    const allowedOf = async (limit: number): Promise<number> => {
      const { key } = await node.issue({ rateLimits: [{ ...rule, limit }] });
      let allowed = 0;
      for (let at = 0; at < CALLS; at += 1) {
        const { status } = await bodyIn(ask('/v1/verify', verifying({ key })));
        allowed += Number(status === 200);
      }
      return allowed;
    };
    equal(await allowedOf(10_000), CALLS);
    asked.set(leases, Number(LIMITS_ASKED.exec(node.metrics())?.[1]));
    equal(await allowedOf(90), 90);
  }
  equal(asked.get(false), CALLS);
  ok((asked.get(true) ?? CALLS) <= CALLS / 2, `asked ${asked.get(true)} times`);
});

test("a proxy's requests with an invalid query are rejected, and each mistake is logged once", async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue({ scopes: ['read'] });
  const texts = [
    'scope=read',
    'scopes',
    'scopes=',
    'env=prod',
    'cost=x',
    'cost=1001',
    'scopes=%zz',
  ];
  texts.push('scopes=a&scopes=b', 'route=', '=read', 'scopes=read&x=y');
  warnings.length = 0;
  for (const text of [...texts, ...texts]) {
    equal((await ask(`/auth?${text}`, bearing(key))).status, 400, text);
  }
  equal(new Set(warnings).size, warnings.length);
  equal((await ask('/authx', bearing(key))).status, 404);
  equal((await ask('/auth?scopes=read', bearing(key))).status, 200);
});

test("in a request from Envoy, the caller's path cannot override the operator's requirements", async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue({ scopes: ['read'] });
  const statusOf = async (path: string) => (await ask(path, bearing(key))).status;
  equal(await statusOf('/envoy/scopes=read/~/v1/invoices?scopes=other'), 200);
  equal(await statusOf('/envoy/scopes=write/~/v1/invoices?scopes=read'), 403);
  equal(await statusOf('/envoy/scopes=write/~/envoy/scopes=read/~/'), 403);
  equal(await statusOf('/envoy//~'), 200);
  equal(
    await statusOf('/envoy/v1/invoices'),
    404,
    'a prefix without its end marker is not a requirement',
  );
});

test('a key is read only from the configured headers, or from the body of /v1/verify', async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue();
  equal((await ask('/auth', { headers: { 'x-other-key': key } })).status, 401);
  equal((await ask('/auth', { headers: { 'x-api-key': key } })).status, 200);
  const asked = { ...verifying({ key: null }), headers: { 'x-api-key': key } };
  const answer = await ask('/v1/verify', asked);
  equal((await bodyIn(answer)).reason, 'missing_key');
});

test('in the body of /v1/verify, spaces around a key are not removed', async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue();
  for (const text of [` ${key}`, `${key} `, `\t${key}`, `${key}\0`]) {
    const { allowed, reason, status } = await bodyIn(ask('/v1/verify', verifying({ key: text })));
    deepEqual([allowed, reason, status], [false, 'malformed_key', 401], JSON.stringify(text));
  }
});

test('POST /v1/verify returns the verdict, the context and the headers for the caller', async (t) => {
  const { ask, node } = await edge(t);
  const { key, keyId } = await node.issue({ scopes: ['read'] });
  const verify = async (question: unknown) => {
    const answer = await ask('/v1/verify', verifying(question));
    return { status: answer.status, body: await bodyIn(answer) };
  };
  const allowed = await verify({ key, scopes: ['read'], env: 'live', cost: 2, route: '/x' });
  deepEqual(Object.keys(allowed.body), ['allowed', 'reason', 'status', 'context', 'headers']);
  deepEqual([allowed.body.allowed, allowed.body.context?.key_id], [true, keyId]);
  const { body: refused } = await verify({ key, scopes: ['write'] });
  deepEqual(
    [refused.allowed, refused.reason, refused.status, refused.context],
    [false, 'insufficient_scope', 403, null],
  );
  equal((await verify({ key: null })).body.reason, 'missing_key');
  for (const text of [
    '',
    '[]',
    '{',
    '{"keys":1}',
    '{"key":1}',
    '{"key":"k","cost":-1}',
    'x'.repeat(70_000),
  ]) {
    const { status, body } = await verify(text);
    deepEqual([status, body.error.code], [400, 'invalid_request'], text.slice(0, 20));
  }
  equal((await ask('/v1/verify')).status, 404, 'only POST');
});

test('POST /v1/verify rejects callers on other machines', async (t) => {
  const keyrail = await createTestKeyrail();
  t.after(() => keyrail.close());
  const defaults = { onNoPolicy: 'deny', onLimitsUnreachable: 'allow' } as const;
  const listener = createListener({ keyrail, defaults, warn: () => {}, relay: null, isTrusted });
  const ask = await listening(t, (incoming, response) => {
    Object.defineProperty(incoming.socket, 'remoteAddress', { value: '203.0.113.9' });
    listener(incoming, response);
  });
  equal((await ask('/v1/verify', verifying({ key: null }))).status, 403);
});

test("/healthz and /readyz report Edge's state, and /metrics counts its requests", async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue();
  await ask('/auth', bearing(key));
  await ask('/auth');
  equal((await ask('/healthz')).status, 200);
  const ready = await bodyIn(ask('/readyz'));
  deepEqual([ready.status, ready.source, ready.degraded], ['ok', 'feed', false]);
  const text = await (await ask('/metrics')).text();
  match(text, /^keyrail_edge_requests_total\{kind="auth",status="200"\} 1$/m);
  match(text, /^keyrail_edge_requests_total\{kind="auth",status="401"\} 1$/m);
  match(text, /^keyrail_edge_policy_keys 1$/m);
  equal(text.match(/^# HELP /gm)?.length, text.match(/^# TYPE /gm)?.length);
  equal((await ask('/nothing')).status, 404);
});

test('an Edge whose policy is too old is not ready', async (t) => {
  const keyrail = await createTestKeyrail();
  t.after(() => keyrail.close());
  const state = () => ({ ...keyrail.state(), tooOld: true });
  const defaults = { onNoPolicy: 'deny', onLimitsUnreachable: 'allow' } as const;
  const stale = { ...keyrail, state };
  const parts = { keyrail: stale, defaults, warn: () => {}, relay: null, isTrusted };
  const ask = await listening(t, createListener(parts));
  const answer = await ask('/readyz');
  equal(answer.status, 503);
  equal(Object(await answer.json()).status, 'policy too old');
});

test('a body that a proxy forwards does not affect the next request', async (t) => {
  const { ask, node } = await edge(t);
  const { key } = await node.issue();
  const url = new URL((await ask('/healthz')).url);
  const statuses: (number | undefined)[] = [];
  for (const body of ['x'.repeat(100_000), '']) {
    statuses.push(
      await new Promise((resolve, reject) => {
        const sent = request(
          { port: url.port, path: '/auth', method: 'POST', ...bearing(key) },
          (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode));
          },
        );
        sent.on('error', reject).end(body);
      }),
    );
  }
  deepEqual(statuses, [200, 200]);
});
