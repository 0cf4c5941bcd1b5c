// A node's metrics: its decisions, its requests to the control plane, and its policy.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { metricsFaults, prometheusIsMissing } from '@keyrail/testing/stores/prometheus.ts';
import { createTestKeyrail } from './testing.ts';

const valueIn = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

const seriesIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));

test('a node counts its decisions and requests, and reports its policy', async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{}], log: () => {} });
  t.after(() => keyrail.close());
  const before = seriesIn(keyrail.metrics());
  const [one] = keyrail.keys;
  keyrail.verify(one?.key);
  keyrail.verify(one?.key, { scopes: ['a'] });
  keyrail.verify(null);
  for (let at = 0; at < 100; at += 1) keyrail.verify(`odd-${at}`);

  const text = keyrail.metrics();

  const decided = (outcome: string) =>
    valueIn(text, `keyrail_node_decisions_total{outcome="${outcome}"}`);
  deepEqual(
    ['allowed', 'insufficient_scope', 'missing_key', 'malformed_key', 'expired'].map(decided),
    [1, 1, 1, 100, 0],
  );
  equal(valueIn(text, 'keyrail_node_policy_version'), keyrail.state().version);
  equal(valueIn(text, 'keyrail_node_policy_keys'), 1);
  equal(valueIn(text, 'keyrail_node_degraded'), 0);
  ok((valueIn(text, 'keyrail_node_policy_age_seconds') ?? -1) >= 0);
  const polls = valueIn(text, 'keyrail_node_requests_total{purpose="feed",outcome="answer"}');
  ok((polls ?? 0) >= 1);
  deepEqual(seriesIn(text), before, 'callers add no series');
  ok(!text.includes(one?.key ?? '?'), 'no key is shown');
});

const skip = prometheusIsMissing();

test("promtool reports no problems in a node's metrics", { skip }, async (t) => {
  const keyrail = await createTestKeyrail({ keys: [{}], log: () => {} });
  t.after(() => keyrail.close());
  equal(metricsFaults(keyrail.metrics()), '');
});
