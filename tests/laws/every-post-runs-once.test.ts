// Every POST that accepts secret keys or sessions runs only once, even if it is sent twice with the
// same idempotency key.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsRequestKey, splitLine } from '@keyrail/protocol/endpoint.ts';
import { takesRequestKey } from '@keyrail/protocol/wire/request-keys.ts';
import { type Answer, type Harness, harness } from '@keyrail/testing/harness.ts';
import { type Fixture, fixtures } from './fixtures.ts';
import { endpointOf, fixtureOf, routeTable, served } from './lines.ts';

const keyed = served.filter((line) => acceptsRequestKey(line, endpointOf(line)));
const doorOf = (line: string) => routeTable.find((route) => route.line === line)?.door;

const tokenOf = async (app: Harness, caller: Fixture['caller']): Promise<string> =>
  caller === 'owner' ? (await app.people.owner()).token : app.tokens.liveKey;

/** Names of the secrets in a response. A first response has a `…_shown_once` field for each. */
const secretsIn = ({ body }: Answer): string[] =>
  Object.keys(body).flatMap((name) => /^(.*)_shown_once$/.exec(name)?.[1] ?? []);

test("the client's rule for requests with an idempotency key matches the server's", () => {
  ok(keyed.length > 0);
  for (const line of served) {
    const { method, path } = splitLine(line);
    if (method !== 'POST') continue;
    equal(takesRequestKey(method, path), keyed.includes(line), line);
  }
});

test('every audited POST that accepts secret keys or sessions goes through doors/write.ts', () => {
  for (const line of keyed) {
    const door = doorOf(line);
    ok(door === 'write' || fixtures[line]?.audits.length === 0, `${line} has the door ${door}`);
  }
});

test('a repeated POST returns the first response without its secret, and changes nothing', async (t) => {
  const app = await harness(t);
  for (const line of keyed) {
    const { caller, input } = fixtureOf(line);
    const wanted = await input(app);
    const headers = {
      authorization: `Bearer ${await tokenOf(app, caller)}`,
      'idempotency-key': `law ${line}`.replaceAll(/[^\w]+/g, '-'),
    };
    const first = await app.ask(line, wanted, headers);
    const chain = await app.as.liveKey('GET /v1/audit_logs/chain');
    const second = await app.ask(line, wanted, headers);
    ok(first.status < 300, `${line}: ${first.text}`);
    equal(second.status, first.status, `${line}: ${second.text}`);
    deepEqual(await app.as.liveKey('GET /v1/audit_logs/chain'), chain, line);
    if (doorOf(line) !== 'write') continue;
    equal(first.headers['idempotent-replayed'], undefined, line);
    equal(second.headers['idempotent-replayed'], 'true', line);
    const expected = { ...first.body };
    for (const name of secretsIn(first)) {
      const secret = String(first.body[name]);
      ok(secret.length > 20, `${line} shows no ${name}`);
      equal(second.text.includes(secret), false, `${line} shows ${name} again`);
      equal((await keptIn(app)).includes(secret), false, `${line} stores ${name}`);
      delete expected[name];
      expected[`${name}_shown_once`] = false;
    }
    deepEqual(second.body, expected, line);
  }
});

/** Returns all responses stored for the workspace, as text. */
async function keptIn({ testApp, workspaceId }: Harness): Promise<string> {
  const text = 'select response from kept_responses where workspace_id = $1';
  const { rows } = await testApp.app.worker.work((tx) => tx.run({ text, values: [workspaceId] }));
  return JSON.stringify(rows);
}
