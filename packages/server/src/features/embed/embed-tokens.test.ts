// Embed tokens: creating them, their claims, the origins that may present them, and when they stop
// working.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { embedded, headersOf, ORIGIN } from '@keyrail/testing/embed.ts';
import { codeOf, harness, messageOf, refused } from '@keyrail/testing/harness.ts';
import { appBeside, traced } from '@keyrail/testing/second-app.ts';
import { openLog } from '../../base/log.ts';
import { noteDriverError } from '../../db/faults.ts';

const mint = 'POST /v1/embed_tokens';
const session = 'GET /v1/embed/session';

test('a token contains the project, tenant and environment it is for, and expires after five minutes', async (t) => {
  const { as, given } = await harness(t);
  const origins = [ORIGIN, 'http://localhost:3000'];
  await as.liveKey('PATCH /v1/workspace', { embed_origins: origins });
  const project = await given.project();
  const tenant = await given.tenant();
  const wanted = { project_id: project.id, tenant_id: tenant.id, env: 'test' };
  const { token, jti, kid, issued_at, ...rest } = await as.liveKey(mint, wanted);
  const issued = Date.parse(issued_at);
  deepEqual(rest, {
    object: 'embed_token',
    ...wanted,
    tenant_external_id: tenant.external_id,
    scopes: ['keys:read'],
    audience: origins,
    epoch: 1,
    expires_at: new Date(issued + 300_000).toISOString(),
    expires_in: 300,
    refresh_after: new Date(issued + 240_000).toISOString(),
  });
  const [head = '', payload = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  deepEqual(read(head), { alg: 'EdDSA', typ: 'keyrail-embed+jwt', kid });
  deepEqual(read(payload), {
    iss: 'http://keyrail.test',
    aud: origins,
    sub: tenant.id,
    iat: issued / 1000,
    exp: issued / 1000 + 300,
    jti,
    ws: (await as.liveKey('GET /v1/workspace')).id,
    prj: project.id,
    env: 'test',
    ext: tenant.external_id,
    scopes: ['keys:read'],
    epoch: 1,
  });
});

test('when a token request is rejected, the error gives the reason', async (t) => {
  const vendor = await harness(t);
  const { as, given, ask, tokens } = vendor;
  const project = await given.project();
  const tenant = await given.tenant();
  const wanted = { project_id: project.id, tenant_id: tenant.id, env: 'live' };
  const none = await refused(as.liveKey(mint, wanted), 400, 'invalid_request');
  match(JSON.stringify(none.body), /"path":"origins"/);

  await as.liveKey('PATCH /v1/workspace', { embed_origins: [ORIGIN] });
  const foreign = { ...wanted, origins: [ORIGIN, 'https://evil.example', `${ORIGIN}/`] };
  const refusedOrigins = await refused(as.liveKey(mint, foreign), 400, 'invalid_request');
  match(JSON.stringify(refusedOrigins.body), /"origins\.1".*"origins\.2"/);

  const other = await harness(t);
  const theirs = { project_id: (await other.given.project()).id, tenant_id: tenant.id };
  const noProject = await refused(as.liveKey(mint, { ...wanted, ...theirs }), 404, 'not_found');
  equal(messageOf(noProject), 'No such project.');
  await as.liveKey('DELETE /v1/tenants/{id}', { id: tenant.id });
  const noTenant = await refused(as.liveKey(mint, wanted), 404, 'not_found');
  equal(messageOf(noTenant), 'No such tenant.');

  await refused(as.testKey(mint, wanted), 403, 'forbidden');
  for (const origin of [ORIGIN, 'null', '', 'https://evil.example']) {
    const headers = { authorization: `Bearer ${tokens.liveKey}`, origin };
    for (const body of [wanted, {}]) {
      const answer = await ask(mint, body, headers);
      equal(`${answer.status} ${codeOf(answer)}`, '403 forbidden', origin);
      equal(answer.headers['access-control-allow-origin'], undefined);
    }
  }
  for (const scope of ['keys:admin', 'key_scope:', 'keys:read ', '*']) {
    await refused(as.liveKey(mint, { ...wanted, scopes: [scope] }), 400, 'invalid_request');
  }
});

test('creating a token is not audited, and always checks the secret key against the database', async (t) => {
  const vendor = await harness(t);
  const { token: _, projectId, tenantId } = await vendor.embed();
  const { head_seq } = await vendor.as.liveKey('GET /v1/audit_logs/chain');
  const { key, id } = await vendor.as.liveKey('POST /v1/secret_keys', { env: 'live' });
  const wanted = { project_id: projectId, tenant_id: tenantId, env: 'live' };
  await vendor.as.token(key)(mint, wanted);
  equal((await vendor.as.liveKey('GET /v1/audit_logs/chain')).head_seq, head_seq + 1);
  await vendor.as.liveKey('POST /v1/secret_keys/{id}/revoke', { id });
  await refused(vendor.as.token(key)(mint, wanted), 401, 'invalid_key');
});

test('a token that is no longer valid is rejected on the very next request', async (t) => {
  const vendor = await harness(t);
  const { as, given } = vendor;
  const subject = async () => {
    const project = await given.project();
    const tenant = await given.tenant();
    return embedded(vendor, { project_id: project.id, tenant_id: tenant.id });
  };
  const bumped = await subject();
  const orphaned = await subject();
  const closed = await subject();
  for (const { call } of [bumped, orphaned, closed]) await call(session);
  await as.liveKey('POST /v1/tenants/{id}/embed_tokens/revoke', { id: bumped.tenantId });
  await refused(bumped.call(session), 401, 'invalid_token');
  await as.liveKey('DELETE /v1/tenants/{id}', { id: orphaned.tenantId });
  await refused(orphaned.call(session), 401, 'invalid_token');
  await as.liveKey('DELETE /v1/projects/{id}', { id: closed.projectId });
  await refused(closed.call(session), 401, 'invalid_token');
  const last = await subject();
  await as.liveKey('PATCH /v1/workspace', { embed_origins: ['https://elsewhere.example'] });
  await refused(last.call(session), 403, 'origin_not_allowed');
  const renewed = await as.liveKey(mint, {
    project_id: last.projectId,
    tenant_id: bumped.tenantId,
    env: 'live',
  });
  equal(renewed.epoch, 2);
});

test('a token expires after five minutes on the database’s clock', async (t) => {
  const { embed, clock } = await harness(t);
  const { call } = await embed();
  clock.shift(298_000);
  await call(session);
  clock.shift(2000);
  await refused(call(session), 401, 'invalid_token');
});

test('a token is accepted only from an origin in its audience', async (t) => {
  const vendor = await harness(t);
  const { token, headers } = await vendor.embed();
  const ask = async (origin: string | undefined) => {
    const { origin: _, ...rest } = headers;
    const answer = await vendor.ask(session, {}, origin === undefined ? rest : { ...rest, origin });
    return `${answer.status} ${codeOf(answer)}`;
  };
  equal(await ask(ORIGIN), '200 undefined');
  const others = [undefined, '', 'null', `${ORIGIN}/`, ORIGIN.toUpperCase(), `${ORIGIN}:443`];
  const more = [`${ORIGIN}.evil.example`, 'https://evil.example', `${ORIGIN}, ${ORIGIN}`, '*'];
  for (const origin of [...others, ...more]) {
    equal(await ask(origin), '403 origin_not_allowed', `${origin}`);
  }
  equal(headersOf(token).origin, ORIGIN);
  const neither = await vendor.ask(session);
  equal(`${neither.status} ${codeOf(neither)}`, '401 missing_credential');
});

test('if the database is unreachable, a token gets a 503, not a 401', async (t) => {
  const vendor = await harness(t);
  const { headers } = await vendor.embed();
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const away = noteDriverError(refused);
  const db = { ...vendor.testApp.db, once: () => Promise.reject(away) };
  const { app } = appBeside(t, vendor.testApp, { db, log: openLog('silent', process.stderr) });
  for (const url of ['/v1/embed/session', '/.well-known/jwks.json']) {
    const answer = await app.http.inject({ url, headers });
    equal(`${answer.statusCode} ${answer.json().error.code}`, '503 unavailable', url);
  }
});

test('authenticating a token takes one query, and none if its signature is wrong', async (t) => {
  const vendor = await harness(t);
  const tracing = traced(vendor.testApp.db);
  const beside = appBeside(t, vendor.testApp, { db: tracing.db });
  const { headers } = await vendor.embed();
  const send = () => beside.app.http.inject({ url: '/v1/embed/keys', headers });
  equal((await send()).statusCode, 200);
  tracing.take();
  equal((await send()).statusCode, 200);
  const [fact, keys, ...rest] = tracing.take().map(({ text }) => text);
  match(fact ?? '', /embed_epoch/);
  match(keys ?? '', /api_keys/);
  deepEqual(rest, []);
  const forged = { ...headers, authorization: `${headers.authorization.slice(0, -9)}AAAAAAAAA` };
  equal((await beside.app.http.inject({ url: '/v1/embed/keys', headers: forged })).statusCode, 401);
  deepEqual(tracing.take(), [], 'a bad signature is rejected without a query');
});
