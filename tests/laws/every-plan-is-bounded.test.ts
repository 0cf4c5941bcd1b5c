// No statement sent by the server reads an unlimited number of rows, no matter what statistics the
// planner has. Every endpoint is called in a workspace full of rows, and PostgreSQL reports the
// plan of each statement.

import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineAfter } from '@keyrail/server/base/deadline.ts';
import { DAY_MS } from '@keyrail/server/base/duration.ts';
import { prepareTrigramSearch } from '@keyrail/server/db/trigram-search.ts';
import { openOverview } from '@keyrail/server/doors/work.ts';
import { mailExpiringKeys } from '@keyrail/server/features/keys/mail-expiring-keys.job.ts';
import { sendDueMail } from '@keyrail/server/features/mail/send-mail.job.ts';
import { retireKeys } from '@keyrail/server/features/policy/retire-keys.job.ts';
import { findDeploymentFigures } from '@keyrail/server/features/status/rows.ts';
import { queueNotices } from '@keyrail/server/features/webhooks/queue-notices.job.ts';
import { createWebhookSender } from '@keyrail/server/features/webhooks/send-webhooks.job.ts';
import { inRun } from '@keyrail/testing/full-run.ts';
import { type Caller, type Harness, harness } from '@keyrail/testing/harness.ts';
import { nodesOf, type Plan, rowsThrough, takePlans, tellPlans } from '@keyrail/testing/plans.ts';
import { purgeTables } from '@keyrail/testing/purge.ts';
import { storeName, testApp } from '@keyrail/testing/test-app.ts';
import { endpointOf, fixtureOf, served } from './lines.ts';
import { beliefs, fill, type Ground, openAdmin } from './plan-ground.ts';

const skip = storeName === 'embedded' && 'the embedded store does not report plans';
const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES ?? '';

/**
 * The maximum number of rows a plan may read: more than any page or batch has, but far fewer than
 * the tables contain.
 */
const ROWS_MAX = 2500;

/** Tables with at most a few rows in the whole deployment. */
const smallTables = new Set([
  'signing_keys',
  'worker_beats',
  'job_leases',
  'served_spans',
  'recent_restores',
  'audit_anchor_places',
  'notice_marks',
]);

/** Statements that may read more rows, each with its reason. */
const exempt: [RegExp, string][] = [
  [/state_shelf::int = covered\.shelf/, 'each count of a summary stops at COUNTED_MAX'],
  [/with old as materialized/, 'stops at COUNTED_MAX keys'],
  [/from traffic_spans/, 'projects, tenants and secret keys are counted up to COUNTED_MAX'],
  [/is_counted, is_current, is_connected, count/, 'looks at COUNTED_MAX projects and nodes'],
  [/count\(\*\) from policy_nodes/, 'bounded by the nodes that a project may have'],
  [/select distinct month, tenant_id/, 'a bill counts the tenants of its months'],
  [/ like sought/, 'a trigram index returns about gin_fuzzy_search_limit rows'],
  [/strpos\(/, 'a search examines the newest SEARCH_EXAMINED_MAX rows'],
  [/count\(\*\) as total,[\s\S]* from policy_nodes/, 'bounded by the nodes that polled recently'],
];

/** Returns a plan's faults; none if it is bounded. */
function faultsOf({ text, root }: Plan): string[] {
  const may = exempt.some(([pattern]) => pattern.test(text));
  return nodesOf(root).flatMap((node) => {
    const table = node['Relation Name'];
    const what = `${node['Node Type']} on ${table ?? '-'} ${node['Index Name'] ?? ''}`;
    const faults = [
      ...(node['Node Type'] === 'Seq Scan' && table && !smallTables.has(table) ? ['scans'] : []),
      ...(node['Parallel Aware'] || node['Node Type'] === 'Gather' ? ['is parallel'] : []),
      ...(!may && rowsThrough(node) > ROWS_MAX ? [`reads ${rowsThrough(node)} rows`] : []),
    ];
    return faults.map((fault) => `${what} ${fault}: ${text.replace(/\s+/g, ' ').slice(0, 300)}`);
  });
}

/** How many states of the planner's statistics are tested. The first is a new installation's. */
const BELIEFS = inRun({ usual: 1, full: 3 });

const limits = [{ id: 'm', limit: 5, window_ms: 60_000, algorithm: 'sliding', scope: 'key' }];

/**
 * Calls every endpoint, follows the feed with more parameters, and runs three of the worker's jobs.
 */
async function tour(app: Harness, { projectId, tenantId, version }: Ground): Promise<void> {
  for (const line of served) {
    const { caller, input } = fixtureOf(line);
    const given = await input(app);
    if (endpointOf(line).dryRun) await app.as[caller](line, { ...given, dry_run: true });
    await app.as[caller](line, given);
  }
  for (const call of [app.as.liveKey, app.as.testKey]) {
    await call('GET /v1/keys', { project_id: projectId, tenant_id: tenantId });
    await call('GET /v1/keys', { tenant_id: tenantId, include_revoked: true });
    await call('GET /v1/audit_logs', { limit: 200 });
    await tourAudit(app, call);
    await tourKeys(call, { projectId, tenantId });
    await tourIds(app, call);
    await tourSearches(call, tenantId);
    await call('GET /v1/tenants', { external_id: 'bulk-7' });
    await call('GET /v1/projects', { slug: 'bulk-7' });
    await call('GET /v1/policy/nodes', { project_id: projectId, limit: 100 });
    for (const more of [{}, { tenant_id: [tenantId] }, { include: 'meta,external_id' }]) {
      const feed = { project_id: projectId, max_keys: 100, node: 'a-node', ...more };
      await call('GET /v1/policy/snapshot', feed);
      for (const since of [version, version - 1, version - 500, 1]) {
        await app.ask('GET /v1/policy/delta', { ...feed, since }, bearer(app));
      }
    }
  }
  const dry = { dry_run: true };
  const { liveKey } = app.as;
  await liveKey('DELETE /v1/projects/{id}', { id: projectId, ...dry });
  await liveKey('DELETE /v1/tenants/{id}', { id: tenantId, ...dry });
  await liveKey('PATCH /v1/projects/{id}', { id: projectId, default_rate_limits: limits, ...dry });
  const { userId } = await app.people.owner(); // the actor of most audit rows
  await liveKey('PATCH /v1/members/{userId}', {
    userId: (await app.people.admin()).userId,
    role: 'owner',
  });
  await liveKey('DELETE /v1/members/{userId}', { userId, ...dry });
  const keyed = { ...bearer(app), 'idempotency-key': 'tour' };
  for (const _ of ['first', 'replayed']) {
    equal((await app.ask('POST /v1/tenants', { external_id: 'tour' }, keyed)).status, 201);
  }
  const { worker } = app.testApp.app;
  await tourLimited(app, { projectId, tenantId });
  await purgeTables(app.testApp, 'kept_responses');
  await sendDueMail({ ...worker, newClaim: worker.newId });
  await retireKeys(worker);
  await findDeploymentFigures(openOverview(app.testApp.db));
  await tourEvents(app);
}

/**
 * Searches for text that is in every row, that begins every row, that is in no row, and that is an
 * ID.
 */
async function tourSearches(call: Caller, tenantId: string): Promise<void> {
  for (const q of ['a', 'kr_', 'bulk', 'ulk', 'nowhere', tenantId, tenantId.slice(9)]) {
    await call('GET /v1/keys', { q });
    await call('GET /v1/keys', { q, tenant_id: tenantId, include_revoked: true });
    await call('GET /v1/tenants', { q });
    await call('GET /v1/projects', { q });
    if (q.length > 1) await call('GET /v1/search', { q });
  }
}

/**
 * Queues notices about keys that expire soon, after a day on which many did, and sends the queued
 * events.
 */
async function tourEvents({ as, clock, testApp }: Harness): Promise<void> {
  const { worker } = testApp.app;
  await queueNotices(worker);
  await as.liveKey('POST /v1/projects', { name: 'Heard', slug: 'heard' });
  const sender = createWebhookSender({
    ...worker.webhooks,
    log: { ...worker.log, warn: () => {} },
  });
  await sender.sendDue();
  await sender.stop();
  for (const state of ['pending', 'delivered', 'failed']) {
    const [endpoint] = (await as.liveKey('GET /v1/webhook_endpoints')).data;
    await as.liveKey('GET /v1/webhook_endpoints/{id}/deliveries', { id: endpoint?.id, state });
  }
  clock.shift(DAY_MS);
  await queueNotices(worker);
  await mailExpiringKeys({ work: worker.work, readIn: worker.webhooks.readIn });
  await purgeTables(testApp, 'webhook_deliveries');
  clock.shift(-DAY_MS);
}

/** Searches with a secret key that is limited to two projects. */
async function tourLimited(app: Harness, { projectId, tenantId }: Omit<Ground, 'version'>) {
  const other = await app.given.project();
  const limits = { env: 'live', project_ids: [projectId, other.id] };
  const { key } = await app.as.liveKey('POST /v1/secret_keys', limits);
  await tourSearches(app.as.token(key), tenantId);
}

/** Lists and counts keys by state and last use. */
async function tourKeys(call: Caller, { projectId, tenantId }: Omit<Ground, 'version'>) {
  for (const state of ['active', 'disabled', 'expiring', 'expired', 'quarantined', 'revoked']) {
    await call('GET /v1/keys', { state });
    await call('GET /v1/keys', { state, tenant_id: tenantId, unused_days: 1 });
    await call('GET /v1/keys', { state, project_id: projectId, q: 'kr_' });
  }
  await call('GET /v1/keys', { unused_days: 1 });
  await call('GET /v1/keys/counts', { by: 'project', id: projectId });
  await call('GET /v1/keys/counts', { by: 'tenant', id: tenantId });
  await call('GET /v1/workspace/summary');
  await call('GET /v1/tenants', { id: [tenantId, projectId], q: 'bulk' });
  await call('GET /v1/projects', { id: [tenantId, projectId] });
  await call('GET /v1/usage/tenants', { months: 24, tenant_id: tenantId });
  await call('GET /v1/usage/tenants', { months: 24, project_id: tenantId });
}

/** Lists objects by their IDs. */
async function tourIds(app: Harness, call: Caller): Promise<void> {
  const ids = async (line: 'GET /v1/keys' | 'GET /v1/secret_keys' | 'GET /v1/invites') =>
    (await app.as.liveKey(line, { limit: 100 })).data.map((each) => each.id);
  const id = await ids('GET /v1/keys');
  await call('GET /v1/keys', { id, include_revoked: true });
  await call('GET /v1/keys', { id, state: 'expiring', unused_days: 1, q: 'kr_' });
  await call('GET /v1/secret_keys', { id: await ids('GET /v1/secret_keys') });
  const { userId } = await app.people.owner();
  await app.as.liveKey('GET /v1/members', { id: userId });
  await app.as.liveKey('GET /v1/invites', { id: await ids('GET /v1/invites') });
}

/** Lists the audit log with each filter, and with all filters combined. */
async function tourAudit(app: Harness, call: Caller): Promise<void> {
  const person = { actor_id: (await app.people.owner()).userId };
  const moment = app.clock.now().toISOString();
  const filters = [
    { action: 'api_key.created' },
    { action: 'project.*' },
    { target_type: 'api_key' },
    { target_id: app.workspaceId },
    person,
    { ...person, action: 'project.created' },
    { ...person, target_id: app.workspaceId, action: 'api_key.*' },
    { from: moment, to: moment },
  ];
  for (const filter of filters) {
    for (const order of ['asc', 'desc']) await call('GET /v1/audit_logs', { ...filter, order });
  }
}

const bearer = ({ tokens }: Harness) => ({ authorization: `Bearer ${tokens.liveKey}` });

async function databaseName(): Promise<string> {
  const opening = {
    role: 'kr_read' as const,
    scope: { workspaceId: null, envs: [] },
    deadline: deadlineAfter(10_000),
  };
  const statement = { text: 'select current_database() as name', values: [] };
  return String((await (await testApp()).db.once(opening, statement)).rows[0]?.name);
}

function loginUrl(database: string): string {
  const url = new URL(superuserUrl);
  url.username = 'keyrail';
  url.pathname = `/${database}`;
  return url.toString();
}

for (const [belief, preparing] of Object.entries(beliefs).slice(0, BELIEFS)) {
  test(`no statement reads an unbounded number of rows, even if the tables were ${belief}`, {
    skip,
  }, async (t) => {
    const app = await harness(t);
    const database = await databaseName();
    const admin = await openAdmin(superuserUrl, database);
    t.after(() => admin.end());
    equal(await prepareTrigramSearch(loginUrl(database)), null);
    const ground = await fill(app, admin);
    for (const text of preparing) await admin.query(text);
    await tellPlans(superuserUrl, database);
    takePlans();
    await tour(app, ground);
    const plans = takePlans();
    ok(plans.length > 500, `${plans.length} plans`);
    deepEqual([...new Set(plans.flatMap(faultsOf))], []);
    const asked = { project_id: ground.projectId, since: ground.version - 1, max_keys: 100 };
    const { status, body } = await app.ask('GET /v1/policy/delta', asked, bearer(app));
    equal(`${status} ${body.object}`, '200 policy_snapshot', 'a single change of very many keys');
  });
}
