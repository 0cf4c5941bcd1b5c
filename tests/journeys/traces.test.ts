// Traces from a real server, decoded from the bytes that a collector receives: requests with and
// without a traceparent, their SQL statements and log lines, a collector that is down, and a
// graceful stop.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { redisIsMissing, startRedis } from '@keyrail/testing/stores/redis.ts';
import { until } from '@keyrail/testing/until.ts';
import { openReceiver } from '@keyrail/testing/webhook-receiver.ts';
import { BOOTSTRAP_TOKEN, deploy, MASTER_KEY } from './deployment.ts';

const COLLECTOR_SECRET = 'canary-of-the-collector';
const IN_QUERY = 'canary-in-a-query';
const IN_PATH = 'canary-in-a-path';
const EMAIL = 'canary@example.com';
const PASSWORD = 'canary password of a person';

type Value = { stringValue?: string; intValue?: number };
type Attributes = { key: string; value: Value }[];
type Exported = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
  attributes: Attributes;
};
type Payload = {
  resourceSpans?: { resource: { attributes: Attributes }; scopeSpans: { spans: Exported[] }[] }[];
};

const SERVER = 2;
const CLIENT = 3;

const attribute = ({ attributes }: { attributes: Attributes }, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

/**
 * The bodies of requests that have the collector's header. The same receiver also gets webhooks,
 * which don't have that header.
 */
const exportedBodies = (received: readonly { headers: object; body: string }[]): string[] =>
  received.flatMap(({ headers, body }) =>
    Reflect.get(headers, 'x-collector-secret') === COLLECTOR_SECRET ? [body] : [],
  );

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

const skip = redisIsMissing();

async function tracedServer(t: TestContext) {
  const redis = skip ? null : await startRedis();
  t.after(() => redis?.stop());
  const collector = await openReceiver(t);
  const deployment = await deploy(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-secret=${COLLECTOR_SECRET}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    KEYRAIL_WEBHOOK_PRIVATE: 'on',
    ...(redis && { REDIS_URL: redis.url }),
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=keyrail-eu',
  });
  const server = await deployment.run('start');
  const resources = () =>
    collector.received.flatMap(({ body }) => (JSON.parse(body) as Payload).resourceSpans ?? []);
  const spans = () =>
    resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const { secret_key, workspace } = await server.as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', {
    name: 'Acme',
    slug: 'acme',
  });
  return {
    collector,
    server,
    resources,
    spans,
    workspace,
    secretKey: secret_key.key,
    printed: deployment.printed,
    /** A request's span, once it has been exported. */
    async spanOf(requestId: string): Promise<Exported> {
      const find = () =>
        spans().find((each) => attribute(each, 'keyrail.request_id') === requestId);
      await until(() => find() !== undefined);
      const found = find();
      ok(found);
      return found;
    },
    below: (parent: Exported, name: string): Exported | undefined =>
      spans().find(
        (each) => each.parentSpanId === parent.spanId && each.kind === CLIENT && each.name === name,
      ),
    /** The request's line in the server's log. */
    logged: (requestId: string): Record<string, unknown> => {
      const line = deployment
        .printed()
        .split('\n')
        .find((each) => each.includes(`"${requestId}"`) && each.includes('"responded"'));
      return JSON.parse(line ?? '{}');
    },
    async ask(path: string, { traceparent, body }: { traceparent?: string; body?: object } = {}) {
      const response = await fetch(server.url + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${secret_key.key}`,
          ...(traceparent !== undefined && { traceparent }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      await response.text();
      return { status: response.status, requestId: response.headers.get('x-request-id') ?? '' };
    },
  };
}

type Traced = Awaited<ReturnType<typeof tracedServer>>;

async function continuesTheTrace({ ask, spanOf, below, logged, ...traced }: Traced) {
  const traceId = hex(16);
  const parent = hex(8);
  const { status, requestId } = await ask('/v1/workspace', {
    traceparent: `00-${traceId}-${parent}-01`,
  });
  equal(status, 200);

  const span = await spanOf(requestId);

  deepEqual(
    [span.traceId, span.parentSpanId, span.name, span.kind],
    [traceId, parent, 'GET /v1/workspace', SERVER],
  );
  equal(attribute(span, 'http.route'), '/v1/workspace');
  equal(attribute(span, 'http.response.status_code'), 200);
  equal(attribute(span, 'keyrail.workspace_id'), traced.workspace.id);
  const statement = below(span, 'select workspaces');
  ok(statement, 'the statement is below the request');
  equal(statement.traceId, traceId);
  equal(attribute(statement, 'db.system.name'), 'postgresql');
  const { trace_id, span_id } = logged(requestId);
  deepEqual([trace_id, span_id], [traceId, span.spanId]);
  const names = traced.resources().map(({ resource }) => attribute(resource, 'service.name'));
  deepEqual(new Set(names), new Set(['keyrail-eu']));
}

/**
 * Jobs and emails start traces of their own. The webhook for a test event is part of the trace of
 * the request that triggered it.
 */
async function tracesWork({ ask, spanOf, below, spans, server, secretKey, collector }: Traced) {
  const named = (name: string) => spans().find((each) => each.name === name);
  await server.as(null)('POST /v1/auth/users', { email: EMAIL, password: PASSWORD });
  const { id } = await server.as(secretKey)('POST /v1/webhook_endpoints', {
    url: collector.url,
    events: ['*'],
  });

  const tested = await ask(`/v1/webhook_endpoints/${id}/test`, { body: {} });

  const sending = below(await spanOf(tested.requestId), 'send webhook');
  ok(sending);
  equal(attribute(sending, 'http.response.status_code'), 204);
  await until(() => named('send mail') !== undefined && named('job purge-hourly') !== undefined);
  equal(named('send mail')?.parentSpanId ?? '', '');
  equal(named('job purge-hourly')?.parentSpanId ?? '', '');
}

test('the server exports traces', async (t) => {
  const traced = await tracedServer(t);
  const { ask, spanOf, below, spans, logged, collector, server, printed } = traced;

  await t.test("the server continues its caller's trace", () => continuesTheTrace(traced));

  await t.test(
    "an operation stays in its request's trace after the body has been read",
    async () => {
      const { status, requestId } = await ask('/v1/projects', {
        traceparent: `00-${hex(16)}-${hex(8)}-01`,
        body: { name: 'Billing', slug: 'billing' },
      });
      equal(status, 201);

      const transaction = below(await spanOf(requestId), 'transaction');

      ok(transaction);
      ok(below(transaction, 'insert projects'));
    },
  );

  await t.test("spans contain an error's request ID, but no paths", async () => {
    const missing = await ask(`/v1/keys/${randomUUID()}`);
    const unknown = await ask(`/${IN_PATH}?q=${IN_QUERY}`);
    equal((await ask(`/v1/keys?q=${IN_QUERY}`)).status, 200);

    const span = await spanOf(missing.requestId);

    deepEqual([missing.status, span.name], [404, 'GET /v1/keys/{id}']);
    equal(attribute(span, 'http.response.status_code'), 404);
    equal((await spanOf(unknown.requestId)).name, 'GET');
  });

  await t.test(
    'an invalid traceparent is ignored, and one that is not sampled is respected',
    async () => {
      const traceId = hex(16);
      for (const traceparent of [
        `00-${traceId}-${hex(8)}`,
        `ff-${traceId}-${hex(8)}-01`,
        `00-${traceId}-${'0'.repeat(16)}-01`,
      ]) {
        const span = await spanOf((await ask('/v1/workspace', { traceparent })).requestId);
        notEqual(span.traceId, traceId);
        equal(span.parentSpanId ?? '', '');
      }
      const unsampled = await ask('/v1/workspace', { traceparent: `00-${traceId}-${hex(8)}-00` });
      const next = await ask('/v1/workspace');

      await spanOf(next.requestId);

      ok(!spans().some((each) => each.traceId === traceId));
      equal(logged(unsampled.requestId).trace_id, traceId);
    },
  );

  await t.test('jobs, emails and webhooks are traced', () => tracesWork(traced));

  await t.test('calls to Redis are traced', { skip }, async () => {
    const limits = [{ id: 'one', limit: 5, window_ms: 60_000, algorithm: 'fixed', scope: 'key' }];
    const ids = { project_id: randomUUID(), key_id: randomUUID(), tenant_id: randomUUID() };

    const checked = await ask('/v1/ratelimit/check', { body: { ...ids, env: 'live', limits } });

    equal(checked.status, 200);
    ok(below(await spanOf(checked.requestId), 'redis check'));
  });

  await t.test(
    'without its collector, the server keeps serving and logs one line about the problem',
    async () => {
      const gone = 'failed to export traces';
      await collector.die();
      equal((await ask('/v1/workspace')).status, 200);
      await until(() => printed().includes(gone));

      for (let count = 0; count < 20; count += 1) equal((await ask('/v1/workspace')).status, 200);

      equal(printed().split(gone).length, 2);
    },
  );

  await t.test(
    'a stopping server exports its remaining spans, and no span ever contains a secret',
    async () => {
      await collector.revive();
      const last = await ask('/v1/workspace');

      equal((await server.stop()).code, 0);

      await spanOf(last.requestId);
      const bodies = exportedBodies(collector.received);
      const exported = bodies.join('\n');
      const secrets = [traced.secretKey, BOOTSTRAP_TOKEN, MASTER_KEY, COLLECTOR_SECRET];
      for (const secret of [...secrets, IN_QUERY, IN_PATH, EMAIL, PASSWORD]) {
        ok(!exported.includes(secret), `the exported traces contain ${secret.slice(0, 6)}…`);
      }
    },
  );
});
