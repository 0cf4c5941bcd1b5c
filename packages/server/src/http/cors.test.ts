// Pages on other origins may read the embed plane's responses to their own requests, but no other
// responses.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { splitLine } from '@keyrail/protocol/endpoint.ts';
import { embedEndpoints } from '@keyrail/protocol/endpoints/embed.ts';
import { addressOf } from '@keyrail/testing/address.ts';
import { ORIGIN } from '@keyrail/testing/embed.ts';
import { harness } from '@keyrail/testing/harness.ts';

const ANY_ID = '01890000-0000-7000-8000-000000000000';
const pathOf = (line: string) => splitLine(line).path.replace('{id}', ANY_ID);
const embedPaths = [...new Set(Object.keys(embedEndpoints).map(pathOf)), '/v1/embed/nothing'];

test('a preflight on the embed plane is allowed for any origin, without a credential', async (t) => {
  const { http } = (await harness(t)).testApp.app;
  for (const url of embedPaths) {
    for (const origin of [ORIGIN, 'https://evil.example', 'null']) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await http.inject({ method: 'OPTIONS', url, headers });
      equal(answer.statusCode, 204, url);
      equal(answer.body, '');
      equal(answer.headers['access-control-allow-origin'], origin);
      equal(answer.headers['access-control-allow-methods'], 'GET, POST');
      ok(`${answer.headers['access-control-allow-headers']}`.includes('authorization'));
      equal(answer.headers['access-control-allow-credentials'], undefined);
      equal(answer.headers.vary, 'Origin');
    }
  }
});

test('outside the embed plane, a preflight is rejected as an unknown method', async (t) => {
  const { http } = (await harness(t)).testApp.app;
  for (const url of ['/v1/embed_tokens', '/v1/keys', '/.well-known/jwks.json', '/v1/embed']) {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' };
    const answer = await http.inject({ method: 'OPTIONS', url, headers });
    ok(answer.statusCode === 405 || answer.statusCode === 404, url);
    for (const name of Object.keys(answer.headers)) ok(!name.startsWith('access-control-'), url);
  }
  const plain = await http.inject({ method: 'OPTIONS', url: '/v1/embed/keys' });
  equal(plain.statusCode, 405, 'without an Origin, it is not a preflight');
});

test('an allowed origin can read responses and errors; any other origin can read neither', async (t) => {
  const app = await harness(t);
  const { headers } = await app.embed();
  const { http } = app.testApp.app;
  const ask = async (url: string, more: Record<string, string>, method: 'GET' | 'POST' = 'GET') => {
    const answer = await http.inject({ method, url, headers: { ...headers, ...more } });
    return `${answer.statusCode} ${answer.headers['access-control-allow-origin']}`;
  };
  equal(await ask('/v1/embed/session', {}), `200 ${ORIGIN}`);
  equal(await ask('/v1/embed/keys?limit=0', {}), `400 ${ORIGIN}`);
  equal(await ask('/v1/embed/session', { authorization: 'Bearer a.b.c' }), `401 ${ORIGIN}`);
  equal(await ask(`/v1/embed/keys/${ANY_ID}/usage`, {}), `404 ${ORIGIN}`);
  equal(await ask('/v1/embed/nothing', {}), `404 ${ORIGIN}`);
  equal(await ask('/v1/embed/session', {}, 'POST'), `405 ${ORIGIN}`);
  for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`]) {
    equal(await ask('/v1/embed/session', { origin }), '403 undefined');
    equal(await ask('/v1/embed/keys', { origin }, 'POST'), '403 undefined');
  }
});

test('the longest possible embed token fits in the request headers', async (t) => {
  const app = await harness(t);
  const origins = Array.from({ length: 20 }, (_, at) => `https://${`${at}`.padStart(247, 'x')}`);
  await app.as.liveKey('PATCH /v1/workspace', { embed_origins: origins });
  const project = await app.given.project();
  const tenant = await app.given.tenant();
  const { token } = await app.as.liveKey('POST /v1/embed_tokens', {
    project_id: project.id,
    tenant_id: tenant.id,
    env: 'live',
    scopes: Array.from({ length: 32 }, (_, at) =>
      at === 0 ? 'keys:read' : `key_scope:${'\u0001'.repeat(208)}${at}`.slice(0, 220),
    ),
  });
  ok(token.length > 50_000, `${token.length}`);
  const url = await addressOf(app.testApp);
  const answer = await fetch(`${url}/v1/embed/session`, {
    headers: { authorization: `Bearer ${token}`, origin: origins[0] ?? '' },
  });
  equal(answer.status, 200);
});
