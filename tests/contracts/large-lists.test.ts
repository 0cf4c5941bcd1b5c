// Lists with large `meta` values are copied from the database into the response. The main thread
// neither parses nor serializes these values, and builds at most two such lists per workspace at a
// time.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';

// The driver keeps a reference to the JSON.parse that it finds when it is loaded, so JSON.parse
// must be replaced before the server is imported.
let chars = 0;
const { parse, stringify } = JSON;
JSON.parse = (text, reviver) => {
  chars += String(text).length;
  return parse(text, reviver);
};
JSON.stringify = (...given: unknown[]) => {
  const text: string = Reflect.apply(stringify, JSON, given);
  chars += text?.length ?? 0;
  return text;
};

const { harness } = await import('@keyrail/testing/harness.ts');
const { appBeside } = await import('@keyrail/testing/second-app.ts');

type Answer = { statusCode: number; payload: string; headers: Record<string, unknown> };

const MEBIBYTE = 1_048_576;
const TENANTS = 12;
const MOST_META_BYTES = MEBIBYTE;
const REST_BYTES_MAX = 65_536;
const WORK_CHARS_MAX = 65_536;
const AT_ONCE = 2;
const WAITING_MAX = 16;

const odd = {
  quotes: '"meta":null, \\" \u2028 é ☃ 🔑 \u007f',
  nested: { deep: [1, 1e21, -0.5, true, null, { a: [] }] },
  constructor: 'a member like any other',
};

test('a list with large meta values is copied without parsing, and has the same content', async (t) => {
  const app = await harness(t);
  const { http } = appBeside(t, app.testApp, { checkAnswers: false }).app;
  const headers = { authorization: `Bearer ${app.tokens.testKey}` };
  const meta = { ...odd, note: 'x'.repeat(MEBIBYTE - 2000) };
  const made: unknown[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    const wanted = { external_id: `customer ${tenant}`, name: 'A "name"', meta };
    made.push(await app.as.liveKey('POST /v1/tenants', wanted));
  }
  const told: unknown[] = [];
  for (let url: string | undefined = '/v1/tenants'; url; ) {
    const before = chars;
    const answer: Answer = await http.inject({ method: 'GET', url, headers });
    equal(answer.statusCode, 200);
    ok(answer.payload.length < MOST_META_BYTES + REST_BYTES_MAX, `${answer.payload.length}`);
    ok(
      chars - before < WORK_CHARS_MAX,
      `${chars - before} characters of JSON were parsed or serialized`,
    );
    told.push(...parse(answer.payload).data);
    url = /<([^>]+)>/.exec(String(answer.headers.link ?? ''))?.[1];
  }
  deepEqual(told, made.toReversed());
});

test('every list that contains meta values copies them without parsing', async (t) => {
  const { as, given, embed } = await harness(t);
  const { projectId, tenantId, call } = await embed();
  const place = { project_id: projectId, tenant_id: tenantId };
  const key = await given.key({ ...place, meta: odd });
  const secret = await as.liveKey('POST /v1/secret_keys', { env: 'test', meta: odd });
  const { data: keys } = await as.liveKey('GET /v1/keys', place);
  deepEqual(keys, [await as.liveKey('GET /v1/keys/{id}', { id: key.id })]);
  deepEqual((await call('GET /v1/embed/keys')).data, keys);
  const { data: secrets } = await as.liveKey('GET /v1/secret_keys');
  deepEqual(secrets[0], await as.liveKey('GET /v1/secret_keys/{id}', { id: secret.id }));
  equal(stringify(secrets[0]?.meta), stringify(odd));
});

test('a workspace can build at most two large lists at a time, and further requests wait or are rejected', async (t) => {
  const app = await harness(t);
  const note = 'x'.repeat(MEBIBYTE / 2);
  await app.given.tenant({ meta: { note } });
  await app.given.tenant({ meta: { note } });
  const running = { now: 0, most: 0, all: 0 };
  let open = Promise.resolve();
  const { db } = app.testApp;
  const counting: typeof db = {
    ...db,
    once: async (opening, statement) => {
      if (!statement.values.includes(MOST_META_BYTES)) return db.once(opening, statement);
      running.now += 1;
      running.all += 1;
      running.most = Math.max(running.most, running.now);
      await open;
      return db.once(opening, statement).finally(() => {
        running.now -= 1;
      });
    },
  };
  const { http } = appBeside(t, app.testApp, { db: counting, checkAnswers: false }).app;
  const headers = { authorization: `Bearer ${app.tokens.testKey}` };
  // Each request has a different limit, because identical requests would share one statement.
  const lists = (count: number) =>
    Array.from({ length: count }, async (_, at) => {
      const url = `/v1/tenants?limit=${100 + at}`;
      return (await http.inject({ method: 'GET', url, headers })).statusCode;
    });
  deepEqual(await Promise.all(lists(8)), Array(8).fill(200));
  deepEqual(running, { now: 0, most: 2, all: 8 });

  const gate = Promise.withResolvers<void>();
  open = gate.promise;
  const beyond = 5;
  const asked = lists(AT_ONCE + WAITING_MAX + beyond);
  const tooMany: number[] = [];
  const refusals = Promise.withResolvers<void>();
  for (const each of asked) {
    void each.then((status) => {
      if (status === 429) tooMany.push(status);
      if (tooMany.length === beyond) refusals.resolve();
    });
  }
  await refusals.promise;
  gate.resolve();
  const statuses = await Promise.all(asked);
  equal(statuses.filter((status) => status === 429).length, beyond);
  equal(running.most, AT_ONCE);
  deepEqual(await Promise.all(lists(1)), [200]);
});
