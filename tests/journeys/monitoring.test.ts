// Runs the files in deploy/monitoring with the distribution's Prometheus, against a live server.
// Only addresses, intervals and the token path are replaced.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '@keyrail/testing/ports.ts';
import { prometheusIsMissing } from '@keyrail/testing/stores/prometheus.ts';
import { until } from '@keyrail/testing/until.ts';
import { deploy } from './deployment.ts';

const FILES = join(import.meta.dirname, '..', '..', 'deploy', 'monitoring');
const TOKEN = 'the-token-of-the-scraper';
const START_MS_MAX = 60_000;

const skip = prometheusIsMissing();

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

const dashboard = (): Dashboard =>
  JSON.parse(readFileSync(join(FILES, 'keyrail-dashboard.json'), 'utf8'));

/** The metric names in a query: words followed by a brace or a bracket, or on their own. */
const namesIn = (query: string): string[] => query.match(/\b(?:keyrail|nodejs|process)_\w+/g) ?? [];

function replaced(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    notEqual(changed.indexOf(from), -1, `the example names ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** Runs Prometheus with the example's configuration until the test ends. Returns its URL. */
async function startPrometheus(t: TestContext, target: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'kr-prometheus-'));
  cpSync(FILES, directory, { recursive: true });
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, TOKEN);
  const config = join(directory, 'prometheus.yaml');
  const changes = [
    ['/etc/prometheus/keyrail-token', tokenFile],
    ["['127.0.0.1:4400', '127.0.0.1:4401']", `['${target}']`],
    ['15s', '1s'],
  ] as const;
  writeFileSync(config, replaced(readFileSync(config, 'utf8'), changes));
  const checked = spawnSync('promtool', ['check', 'config', config], { encoding: 'utf8' });
  equal(checked.status, 0, checked.stdout + checked.stderr);

  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  );
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  });
  return `http://${address}`;
}

type Answer = { status: string; error?: string; data?: { result?: unknown[] } & Rules };
type Rules = { groups?: { rules: { name: string; query: string; lastError?: string }[] }[] };

async function ask(url: string): Promise<Answer> {
  return (await fetch(url)).json() as Promise<Answer>;
}

test('every metric that an alert or a panel queries is exported by a server', {
  skip,
}, async (t) => {
  const deployment = await deploy(t, { KEYRAIL_METRICS_TOKEN: TOKEN });
  const server = await deployment.run('start');
  const prometheus = await startPrometheus(t, new URL(server.url).host);
  const query = (expr: string) =>
    ask(`${prometheus}/api/v1/query?query=${encodeURIComponent(expr)}`);
  const found = async (expr: string) =>
    ((await query(expr).catch(() => null))?.data?.result?.length ?? 0) > 0;

  // Waits for two scrapes, because rates need two samples, and for the worker's first heartbeat.
  await until(
    () => found('keyrail_worker_seen == 1 and count_over_time(up[1m]) > 2'),
    START_MS_MAX,
  );

  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
  const exported = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  const isExported = (name: string) =>
    exported.has(name.replace(/_(bucket|sum|count)$/, '')) || exported.has(name);

  const { data } = await ask(`${prometheus}/api/v1/rules`);
  const rules = data?.groups?.flatMap((group) => group.rules) ?? [];
  ok(rules.length >= 15);
  deepEqual(
    rules.filter(({ lastError }) => lastError),
    [],
  );
  const panels = dashboard().panels;
  const queries = [
    ...rules.map((rule) => ({ of: rule.name, expr: rule.query })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
  ];
  const unknown = queries.flatMap(({ of, expr }) =>
    namesIn(expr)
      .filter((name) => !isExported(name))
      .map((name) => `${of}: ${name}`),
  );
  deepEqual(unknown, []);
  for (const { of, expr } of queries) {
    const answer = await query(expr);
    equal(answer.status, 'success', `${of}: ${answer.error}`);
  }
  ok(await found('up{job="keyrail"} == 1'), 'the example’s token gives access to /metrics');
});

test('promtool accepts every Prometheus rule', { skip }, () => {
  const rules = join(FILES, 'keyrail-alerts.yaml');
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], {
    encoding: 'utf8',
  });
  equal(status, 0, stdout + stderr);
});
