// Deployment metrics: queues and nodes.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { openOverview } from '../../doors/work.ts';
import { findDeploymentFigures } from './rows.ts';

test('a node that has not applied a change counts as behind, and its lag is that change’s age', async (t) => {
  const { as, ask, given, clock, testApp, tokens } = await harness(t);
  const figures = () => findDeploymentFigures(openOverview(testApp.db));
  const project = await given.project();
  await given.key({ project_id: project.id });
  const snapshot = await as.liveKey('GET /v1/policy/snapshot', { project_id: project.id });
  ok(snapshot && 'version' in snapshot);
  const poll = { project_id: project.id, node: 'node-1', since: snapshot.version };
  const headers = { authorization: `Bearer ${tokens.liveKey}` };
  equal((await ask('GET /v1/policy/delta', poll, headers)).status, 304);
  const before = await figures();
  ok(before.nodesCurrent >= 1);

  await given.key({ project_id: project.id });
  clock.shift(30_000);
  const after = await figures();

  equal(after.nodesBehind, before.nodesBehind + 1);
  ok(after.nodesLagSeconds >= 30);
});

test('a due email is counted as waiting', async (t) => {
  const { as, clock, testApp } = await harness(t);
  const figures = () => findDeploymentFigures(openOverview(testApp.db));
  const { mailQueued } = await figures();
  await as.liveKey('POST /v1/invites', { email: 'ada@keyrail.test', role: 'member' });
  clock.shift(60_000);

  const after = await figures();

  ok(after.mailQueued > mailQueued);
  ok(after.mailOverdueSeconds >= 60);
});

test('a due delivery to an enabled endpoint is counted as waiting', async (t) => {
  const { as, given, clock, testApp } = await harness(t);
  const figures = () => findDeploymentFigures(openOverview(testApp.db));
  await as.liveKey('POST /v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', events: ['*'] });
  const { webhooksQueued } = await figures();
  await given.key();
  clock.shift(45_000);

  const after = await figures();

  ok(after.webhooksQueued > webhooksQueued);
  ok(after.webhooksOverdueSeconds >= 45);
});
