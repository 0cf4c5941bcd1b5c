// GET /metrics: its token, the series from each part of the product, and the limit on their number.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { Secret } from '@keyrail/server/base/secret.ts';
import { createMetrics } from '@keyrail/server/observe/metrics.ts';
import { startWorker } from '@keyrail/server/worker.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { harness } from '@keyrail/testing/harness.ts';
import { metricsFaults, prometheusIsMissing } from '@keyrail/testing/stores/prometheus.ts';
import { testApp } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';

const TOKEN = 'a-token-of-the-scraper';
const ODD_PATHS = inRun({ usual: 1000, full: 10_000 });

async function measuredApp(t: TestContext) {
  const { variant } = await testApp();
  const metering = { metrics: createMetrics(systemClock), token: new Secret(TOKEN) };
  const app = variant({ metering });
  t.after(() => app.http.close());
  const get = (url: string, token?: string) =>
    app.http.inject({
      url,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  const scrape = async () => (await get('/metrics', TOKEN)).body;
  return { app, get, scrape };
}

/** Returns the name and labels of each sample in the metrics text. */
const seriesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));

const valueIn = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

test('if no token is set, /metrics responds like an unknown path', async () => {
  const { app } = await testApp();

  const responses = await Promise.all(
    ['/metrics', '/no-such-path'].map((url) =>
      app.http.inject({ url, headers: { authorization: `Bearer ${TOKEN}` } }),
    ),
  );

  const [metrics, unknown] = responses.map(({ statusCode, body }) => ({ statusCode, body }));
  equal(metrics?.statusCode, 404);
  deepEqual(metrics, unknown);
});

test('only the token gives access to the metrics', async (t) => {
  const { app, get } = await measuredApp(t);

  for (const token of [undefined, '', 'x', `${TOKEN}x`, TOKEN.slice(1)]) {
    const { statusCode, body } = await get('/metrics', token);
    equal(statusCode, 401);
    ok(!body.includes('keyrail_'));
  }
  equal((await app.http.inject({ url: '/metrics', method: 'POST' })).statusCode, 405);
  const { statusCode, headers } = await get('/metrics', TOKEN);
  equal(statusCode, 200);
  match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
});

test('every part of the product has its own metric series', async (t) => {
  const { given, tokens } = await harness(t);
  await given.key();
  const { app, get, scrape } = await measuredApp(t);
  await get('/v1/keys', tokens.liveKey);
  await get('/v1/keys', 'krsk_wrong');

  const text = await scrape();

  equal(valueIn(text, 'keyrail_http_requests_total{line="GET /v1/keys",status="200"}'), 1);
  equal(valueIn(text, 'keyrail_http_requests_total{line="GET /v1/keys",status="401"}'), 1);
  equal(valueIn(text, 'keyrail_http_request_seconds_count{line="GET /v1/keys"}'), 2);
  equal(valueIn(text, 'keyrail_http_request_seconds_bucket{line="GET /v1/keys",le="+Inf"}'), 2);
  equal(valueIn(text, 'keyrail_database_up'), 1);
  equal(valueIn(text, 'keyrail_feed_held_polls'), 0);
  ok((valueIn(text, 'keyrail_database_connections_max') ?? 0) >= 1);
  ok((valueIn(text, 'nodejs_eventloop_lag_p99_seconds') ?? -1) >= 0);
  for (const queue of ['mail', 'webhooks']) {
    ok((valueIn(text, `keyrail_${queue}_queued`) ?? -1) >= 0);
    ok((valueIn(text, `keyrail_${queue}_overdue_seconds`) ?? -1) >= 0);
  }
  equal(app.http.hasRoute({ method: 'GET', url: '/metrics' }), true);
});

test('the process reports metrics about its CPU, memory, open files, event loop and garbage collection', async (t) => {
  const { scrape } = await measuredApp(t);
  const text = await scrape();

  const secondsSince =
    systemClock.now().getTime() / 1000 - (valueIn(text, 'process_start_time_seconds') ?? 0);
  ok(Math.abs(secondsSince - process.uptime()) < 60, `started ${secondsSince} s ago`);
  const positive = [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_heap_size_total_bytes',
    'nodejs_heap_size_used_bytes',
    'nodejs_external_memory_bytes',
    ...(process.platform === 'linux' ? ['process_open_fds', 'process_max_fds'] : []),
  ];
  deepEqual(
    positive.filter((name) => !((valueIn(text, name) ?? 0) > 0)),
    [],
  );
  for (const figure of ['p50', 'p90', 'p99', 'max']) {
    ok((valueIn(text, `nodejs_eventloop_lag_${figure}_seconds`) ?? -1) >= 0, figure);
  }
  match(text, new RegExp(`^nodejs_version_info\\{version="${process.version}",major=`, 'm'));

  const collected = 'nodejs_gc_duration_seconds_count{kind="major"}';
  const before = valueIn(text, collected) ?? Number.NaN;
  await collectGarbage();
  await until(async () => (valueIn(await scrape(), collected) ?? 0) > before);
});

/**
 * Runs a full garbage collection. `gc` is exposed by setting a flag while the process is running.
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await runInNewContext('gc')({ type: 'major', execution: 'async' });
}

const skip = prometheusIsMissing();

test('promtool has no complaints about the metrics', { skip }, async (t) => {
  const { tokens } = await harness(t);
  const { app, get, scrape } = await measuredApp(t);
  const worker = startWorker(app.worker);
  t.after(() => worker.stop());
  await get('/v1/keys', tokens.liveKey);

  const text = await scrape();

  ok((text.match(/^# TYPE /gm)?.length ?? 0) > 30);
  equal(metricsFaults(text), '');
  match(metricsFaults(text.replace(/^# HELP keyrail_build_info .*\n/m, '')), /no help text/);
});

type Measured = Awaited<ReturnType<typeof measuredApp>>;

type Charge = {
  token: string;
  key: { id: string; project_id: string; tenant_id: string };
  path: 'check' | 'lease';
  limit: number;
  want?: number;
};

/** Charges one of a key's limits, with a check or a lease. */
const charging =
  ({ http }: Measured['app'], { token, key, path, limit, want }: Charge) =>
  () =>
    http.inject({
      method: 'POST',
      url: `/v1/ratelimit/${path}`,
      headers: { authorization: `Bearer ${token}` },
      payload: {
        project_id: key.project_id,
        env: 'live',
        key_id: key.id,
        tenant_id: key.tenant_id,
        limits: [{ id: 'one', limit, window_ms: 60_000, algorithm: 'fixed', scope: 'key' }],
        ...(want !== undefined && { want }),
      },
    });

test('rate-limit checks are counted by store and outcome', async (t) => {
  const { given, tokens } = await harness(t);
  const key = await given.key();
  const { app, scrape } = await measuredApp(t);
  const check = charging(app, { token: tokens.liveKey, key, path: 'check', limit: 1 });
  const statuses = [(await check()).statusCode, (await check()).statusCode];
  deepEqual(statuses, [200, 200]);

  const text = await scrape();

  const counted = (outcome: string) =>
    valueIn(text, `keyrail_ratelimit_checks_total{store="memory",outcome="${outcome}"}`);
  deepEqual([counted('allowed'), counted('denied'), counted('failed')], [1, 1, 0]);
});

test('rate-limit leases are counted separately from checks', async (t) => {
  const { given, tokens } = await harness(t);
  const key = await given.key();
  const { app, scrape } = await measuredApp(t);
  const lease = charging(app, { token: tokens.liveKey, key, path: 'lease', limit: 5, want: 5 });
  const granted = [(await lease()).json().granted, (await lease()).json().granted];
  deepEqual(granted, [5, 0]);

  const text = await scrape();

  const counted = (kind: string, outcome: string) =>
    valueIn(text, `keyrail_ratelimit_${kind}_total{store="memory",outcome="${outcome}"}`);
  deepEqual([counted('leases', 'allowed'), counted('leases', 'denied')], [1, 1]);
  deepEqual([counted('checks', 'allowed'), counted('checks', 'denied')], [0, 0]);
});

test('jobs are counted by outcome', async (t) => {
  const { app, scrape } = await measuredApp(t);
  const worker = startWorker({
    ...app.worker,
    people: () => Promise.reject(new Error('no people today')),
  });
  t.after(() => worker.stop());

  const passed = 'keyrail_job_runs_total{name="beat",outcome="passed"}';
  await until(async () => (valueIn(await scrape(), passed) ?? 0) >= 1);

  const text = await scrape();
  equal(valueIn(text, 'keyrail_job_runs_total{name="beat",outcome="failed"}'), 0);
  ok((valueIn(text, 'keyrail_job_last_passed_timestamp_seconds{name="beat"}') ?? 0) > 1e9);
  equal(valueIn(text, 'keyrail_job_runs_total{name="purge-hourly",outcome="failed"}'), 0);
});

test('requests with unknown paths or methods do not add metric series', async (t) => {
  const { app, get, scrape } = await measuredApp(t);
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const;
  const odd = async (from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      const method = methods[at % methods.length] ?? 'GET';
      const paths = [`/v1/odd/${at}`, `/v1/keys/${at}`, `/${at}?q=${at}`, `/docs/${at}`, '/docs'];
      await app.http.inject({ method, url: paths[at % paths.length] ?? '/' });
    }
  };
  // Sends every combination of method and path once, so that all their statuses have a series.
  await odd(0, 60);
  await get('/metrics', TOKEN);
  const before = seriesIn(await scrape()).sort();

  await odd(60, 60 + ODD_PATHS);

  deepEqual(seriesIn(await scrape()).sort(), before);
});

test('a standalone worker serves only probes and metrics', async (t) => {
  const { app } = await measuredApp(t);
  const http = app.openWorkerHttp();
  t.after(() => http.close());

  const statusOf = async (url: string, token = TOKEN) =>
    (await http.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode;

  deepEqual(
    await Promise.all(
      ['/healthz', '/readyz', '/metrics', '/v1/keys', '/', '/docs'].map((url) => statusOf(url)),
    ),
    [200, 200, 200, 404, 404, 404],
  );
  equal(await statusOf('/metrics', 'wrong'), 401);
});
