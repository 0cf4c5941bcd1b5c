// Every endpoint rejects unknown callers, credentials of the wrong kind, test keys outside the test
// environment, and malformed input. A rejected request changes nothing.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { splitLine } from '@keyrail/protocol/endpoint.ts';
import type { AnyLine } from '@keyrail/protocol/endpoints/all.ts';
import type { Auth } from '@keyrail/protocol/wire/auth.ts';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import {
  codeOf,
  type Harness,
  harness,
  type Input,
  messageOf,
  refused,
  requestOf,
} from '@keyrail/testing/harness.ts';
import { newPerson } from '@keyrail/testing/people.ts';
import { BOOTSTRAP_TOKEN, seededBytes } from '@keyrail/testing/test-app.ts';
import { anyIds, endpointOf, fixtureOf, isGet, isOpen, isWrite, served } from './lines.ts';

const guarded = served.filter((line) => !isOpen(line));

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const headOf = async ({ as }: Harness): Promise<string> =>
  (await as.liveKey('GET /v1/audit_logs/chain')).head_hash;

test('a caller without a credential is rejected as unauthenticated', async (t) => {
  const { ask } = await harness(t);
  for (const line of guarded) {
    const answer = await ask(line, anyIds(line));
    equal(`${line} ${answer.status} ${codeOf(answer)}`, `${line} 401 missing_credential`);
    equal(answer.headers['www-authenticate'], 'Bearer', line);
  }
});

test('a made-up credential of any form is rejected', async (t) => {
  const { ask, tokens } = await harness(t);
  const mint = (kind: 'api_key' | 'secret_key' | 'session') =>
    mintCredential(kind, kind === 'session' ? null : 'live', seededBytes('stranger')).secret;
  const strangers = {
    [mint('secret_key')]: 'invalid_key',
    [mint('session')]: 'invalid_session',
    [mint('api_key')]: 'invalid_key',
    [`${tokens.liveKey.slice(0, -1)}${tokens.liveKey.endsWith('0') ? '1' : '0'}`]: 'invalid_key',
    [tokens.liveKey.toUpperCase()]: 'invalid_key',
    [`${tokens.liveKey}x`]: 'invalid_key',
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.': 'invalid_token',
    nonsense: 'invalid_key',
  };
  for (const line of guarded) {
    for (const [token, code] of Object.entries(strangers)) {
      const answer = await ask(line, anyIds(line), bearer(token));
      equal(`${line} ${answer.status} ${codeOf(answer)}`, `${line} 401 ${code}`, token);
    }
    const basic = await ask(line, anyIds(line), { authorization: 'Basic a2V5OnJhaWw=' });
    equal(`${basic.status} ${codeOf(basic)}`, '401 invalid_key', line);
  }
});

test('the wrong kind of credential is rejected as forbidden', async (t) => {
  const { ask, tokens, people, embed } = await harness(t);
  const takes: Record<Auth, string[]> = {
    vendor: ['liveKey', 'session'],
    machine: ['liveKey'],
    machineHot: ['liveKey'],
    minting: ['liveKey'],
    founder: ['bootstrap', 'session'],
    session: ['session'],
    embed: ['embed'],
    signature: [],
    none: [],
  };
  const session = (await people.owner()).token;
  const { token } = await embed();
  const app = { liveKey: tokens.liveKey, bootstrap: BOOTSTRAP_TOKEN, session, embed: token };
  for (const line of guarded) {
    for (const [kind, token] of Object.entries(app)) {
      if (takes[endpointOf(line).auth].includes(kind)) continue;
      const answer = await ask(line, anyIds(line), bearer(token));
      equal(`${line} ${kind} ${answer.status} ${codeOf(answer)}`, `${line} ${kind} 403 forbidden`);
    }
  }
});

test('members can read, admins can also make changes, and neither can do what only an owner may do', async (t) => {
  const app = await harness(t);
  const member = bearer((await app.people.member()).token);
  const admin = bearer((await app.people.admin()).token);
  const vendors = guarded.filter((each) => endpointOf(each).auth === 'vendor');
  const inputs = new Map<AnyLine, Input>();
  for (const line of vendors.filter((each) => !isWrite(each) && !isGet(each))) {
    inputs.set(line, await fixtureOf(line).input(app));
  }
  const before = await headOf(app);
  for (const line of vendors) {
    const asked = [
      { role: 'member', headers: member, isRefused: isWrite(line) },
      { role: 'admin', headers: admin, isRefused: endpointOf(line).role === 'owner' },
    ];
    for (const { role, headers, isRefused } of asked) {
      if (!isRefused && isWrite(line)) continue; // other tests cover calls that are allowed
      const answer = await app.ask(line, inputs.get(line) ?? anyIds(line), headers);
      const expected = isRefused ? '403 forbidden' : `${answer.status} ${codeOf(answer)}`;
      equal(`${line} ${role} ${answer.status} ${codeOf(answer)}`, `${line} ${role} ${expected}`);
      if (!isRefused) ok(answer.status === 200 || answer.status === 404, `${line} ${role}`);
    }
  }
  equal(await headOf(app), before);
});

test('a session without a workspace gets its own error on endpoints that act on a workspace', async (t) => {
  const { as, testApp, ask } = await harness(t);
  const callerFor = (token: string | null) => (token === null ? as.nobody : as.token(token));
  const { token } = await newPerson(testApp, callerFor);
  for (const line of guarded.filter((each) => endpointOf(each).auth === 'vendor')) {
    const answer = await ask(line, anyIds(line), bearer(token));
    equal(`${line} ${answer.status} ${codeOf(answer)}`, `${line} 403 no_active_workspace`);
  }
});

test('a test key cannot manage live resources, and a denied attempt changes nothing', async (t) => {
  const app = await harness(t);
  for (const line of guarded) {
    const { beyond } = fixtureOf(line);
    if (!beyond) continue;
    const input = await beyond(app);
    const before = await headOf(app);
    const answer = await refused(app.as.testKey(line, input), 403, 'forbidden');
    equal(messageOf(answer), 'A test secret key cannot manage live resources.', line);
    equal(await headOf(app), before, `${line} wrote something`);
  }
});

test('a malformed ID in a path is reported as invalid, not as missing', async (t) => {
  const { ask, tokens, people, embed } = await harness(t);
  const app: Record<string, Record<string, string>> = {
    session: bearer((await people.owner()).token),
    embed: (await embed()).headers,
  };
  for (const line of guarded.filter((each) => each.includes('{'))) {
    const ids = Object.keys(anyIds(line));
    for (const id of ['nonsense', '%00', 'a'.repeat(5000)]) {
      const input = Object.fromEntries(ids.map((name) => [name, id]));
      const headers = app[endpointOf(line).auth] ?? bearer(tokens.liveKey);
      const answer = await ask(line, input, headers);
      equal(`${line} ${answer.status} ${codeOf(answer)}`, `${line} 400 invalid_request`);
      equal(messageOf(answer), 'The request path is not valid.');
    }
  }
});

test("an unknown field is rejected, and the error contains the field's path", async (t) => {
  const app = await harness(t);
  for (const line of served.filter((each) => endpointOf(each).auth !== 'signature')) {
    const { query, body } = endpointOf(line);
    const part = isGet(line) ? 'query' : 'body';
    const isDeclared = part === 'body' ? body !== undefined && body !== 'raw' : query !== undefined;
    if (!isDeclared) continue;
    const { caller, input } = fixtureOf(line);
    const call = app.as[caller](line, { ...(await input(app)), expires_att: 'x' });
    const answer = await refused(call, 400, 'invalid_request');
    deepEqual(
      answer.body.error,
      {
        code: 'invalid_request',
        message: `The request ${part} is not valid.`,
        details: [{ path: 'expires_att', message: 'Unknown field.' }],
      },
      line,
    );
  }
});

test('an unknown query parameter is rejected, except on endpoints with a raw body', async (t) => {
  const { testApp, tokens, people, embed } = await harness(t);
  const app: Record<string, Record<string, string>> = {
    founder: bearer(BOOTSTRAP_TOKEN),
    session: bearer((await people.owner()).token),
    embed: (await embed()).headers,
  };
  for (const line of served) {
    const { auth, body } = endpointOf(line);
    const { method, url } = requestOf(line, anyIds(line));
    const sent = {
      method,
      url: `${url}${url.includes('?') ? '&' : '?'}expires_att=x`,
      headers: app[auth] ?? bearer(tokens.liveKey),
    };
    const { error } = (await testApp.app.http.inject(sent)).json();
    equal(error.message === 'The request query is not valid.', body !== 'raw', line);
  }
});

test('a body that is not JSON, or that declares a different content type, is rejected', async (t) => {
  const { testApp, tokens, people, embed } = await harness(t);
  const app: Record<string, Record<string, string>> = {
    founder: bearer(BOOTSTRAP_TOKEN),
    session: bearer((await people.owner()).token),
    embed: (await embed()).headers,
  };
  const wanted = served.filter((line) => {
    const { body, anyContentType } = endpointOf(line);
    return body !== undefined && body !== 'raw' && !anyContentType;
  });
  const send = (line: AnyLine, payload: string, type: string) => {
    const { method, url } = requestOf(line, anyIds(line));
    const caller = app[endpointOf(line).auth] ?? bearer(tokens.liveKey);
    const headers = { ...caller, 'content-type': type };
    return testApp.app.http.inject({ method, url, payload, headers });
  };
  for (const line of wanted) {
    const broken = await send(line, '{"name":', 'application/json');
    equal(broken.statusCode, 400, line);
    equal(broken.json().error.message, 'The request body is not valid JSON.', line);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      equal((await send(line, '{}', type)).statusCode, 415, `${line} ${type}`);
    }
  }
});

test('a missing body gets the same error as an empty object', async (t) => {
  const { testApp, tokens, people, embed } = await harness(t);
  const callers: Record<string, Record<string, string>> = {
    founder: bearer(BOOTSTRAP_TOKEN),
    session: bearer((await people.owner()).token),
    embed: (await embed()).headers,
  };
  const wanted = served.filter((line) => {
    const { auth, body, bodyOptional } = endpointOf(line);
    return body !== undefined && !bodyOptional && auth !== 'signature';
  });
  for (const line of wanted) {
    const { method, url } = requestOf(line, anyIds(line));
    const caller = callers[endpointOf(line).auth] ?? bearer(tokens.liveKey);
    const errorTo = async (sent: { payload?: string; headers: Record<string, string> }) => {
      const answer = await testApp.app.http.inject({ method, url, ...sent });
      equal(answer.statusCode, 400, line);
      return answer.json().error;
    };
    const typed = { ...caller, 'content-type': 'application/json' };
    const empty = await errorTo({ payload: '{}', headers: typed });
    ok(empty.details.length > 0, line);
    for (const headers of [caller, typed]) deepEqual(await errorTo({ headers }), empty, line);
  }
});

test('a method that a path does not accept is rejected with a list of those it does', async (t) => {
  const { testApp } = await harness(t);
  for (const line of served) {
    const { method, path } = splitLine(line);
    const url = path.replaceAll(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000');
    const answer = await testApp.app.http.inject({ method: 'PUT', url });
    equal(answer.statusCode, 405, line);
    ok(String(answer.headers.allow).split(', ').includes(method), line);
    equal(answer.json().error.code, 'method_not_allowed');
  }
});

test('no response can be read by a page on another origin or executed by a browser', async (t) => {
  const { ask, embed } = await harness(t);
  const { token } = await embed();
  for (const line of served) {
    const isEmbed = endpointOf(line).auth === 'embed';
    const origin = { origin: 'https://evil.example', ...(isEmbed && bearer(token)) };
    const answer = await ask(line, anyIds(line), origin);
    equal(answer.headers['access-control-allow-origin'], undefined, line);
    equal(answer.headers['access-control-allow-credentials'], undefined, line);
    equal(answer.headers['x-content-type-options'], 'nosniff', line);
    const isShared = line === 'GET /.well-known/jwks.json';
    equal(answer.headers['cache-control'], isShared ? 'public, max-age=300' : 'no-store', line);
    ok(answer.headers['content-security-policy']?.includes("default-src 'none'"), line);
    ok(answer.headers['x-request-id'], line);
  }
});
