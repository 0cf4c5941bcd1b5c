// Operations that create or rotate keys and those that delete their project or tenant wait for each
// other's locks. Each test pauses one transaction in the middle. Skipped on the embedded store,
// which has only one connection.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { hold, operationsOf } from '@keyrail/testing/operations.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { unchanged } from '../../doors/door.ts';
import { deleteProject } from '../projects/delete-project.ts';
import { deleteTenant } from '../tenants/delete-tenant.ts';
import { revokeKeysUnder } from './cascade.rows.ts';
import { createKey } from './create-key.ts';
import { rotateKey } from './rotate-key.ts';

const skip = storeName === 'embedded' ? 'the embedded store has only one connection' : false;
const PAUSE_MS = 150;

const wanted = { name: null, scopes: [], meta: {}, rateLimits: null, expiresAt: null };

/** Returns whether a call is still pending after PAUSE_MS. */
const isWaiting = async (call: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    sleep(PAUSE_MS, true),
    call.then(
      () => false,
      () => false,
    ),
  ]);

async function place({ given }: Harness) {
  const project = await given.project();
  const tenant = await given.tenant();
  return { projectId: project.id, tenantId: tenant.id, env: 'live' as const };
}

const parents = [
  { what: 'tenant', line: 'DELETE /v1/tenants/{id}', idOf: 'tenantId', end: deleteTenant },
  { what: 'project', line: 'DELETE /v1/projects/{id}', idOf: 'projectId', end: deleteProject },
] as const;

for (const { what, line, idOf, end } of parents) {
  test(`deleting a ${what} waits for a key that is being created, and revokes it`, {
    skip,
  }, async (t) => {
    const app = await harness(t);
    const at = await place(app);
    const making = await hold(app, (tx) => createKey(tx, { ...wanted, ...at }));
    const deleting = app.as.liveKey(line, { id: at[idOf] });
    equal(await isWaiting(deleting), true);
    const { row } = await making.letGo();
    equal((await deleting).revoked_keys, 1);
    ok((await app.as.liveKey('GET /v1/keys/{id}', { id: row.id })).revoked_at);
  });

  test(`creating a key waits while its ${what} is being deleted, and is then rejected`, {
    skip,
  }, async (t) => {
    const app = await harness(t);
    const at = await place(app);
    const deleting = await hold(app, (tx) => end(tx, { id: at[idOf] }));
    const making = app.as.liveKey('POST /v1/keys', {
      project_id: at.projectId,
      tenant_id: at.tenantId,
      env: 'live',
    });
    equal(await isWaiting(making), true);
    await Promise.all([refused(making, 404, 'not_found'), deleting.letGo()]);
  });

  test(`deleting a ${what} also revokes the new key of a rotation in progress`, {
    skip,
  }, async (t) => {
    const app = await harness(t);
    const at = await place(app);
    const { id } = await app.given.key({ project_id: at.projectId, tenant_id: at.tenantId });
    const rotating = await hold(app, (tx) => rotateKey(tx, { id, overlapHours: 1 }));
    const deleting = app.as.liveKey(line, { id: at[idOf] });
    equal(await isWaiting(deleting), true);
    await rotating.letGo();
    equal((await deleting).revoked_keys, 2);
    deepEqual((await app.as.liveKey('GET /v1/keys', { project_id: at.projectId })).data, []);
  });
}

test('deleting a tenant revokes all its keys, even a key that is created and rotated during the deletion', {
  skip,
}, async (t) => {
  const app = await harness(t);
  const at = await place(app);
  const cascaded = await operationsOf(app)(async (tx) => {
    const lockParent = async () => {
      const { id } = await app.given.key({ project_id: at.projectId, tenant_id: at.tenantId });
      const rotating = await hold(app, (other) => rotateKey(other, { id, overlapHours: 1 }));
      setTimeout(() => void rotating.letGo(), PAUSE_MS);
    };
    return unchanged(
      await revokeKeysUnder(tx, { tenantId: at.tenantId }, { reason: 'ended', lockParent }),
    );
  });
  deepEqual(cascaded, { count: 2, projectIds: [at.projectId] });
});

test('keys can be created, changed and read while a tenant’s keys are being revoked', {
  skip,
}, async (t) => {
  const app = await harness(t);
  const { as, given } = app;
  const doomed = await given.key();
  const place = { project_id: doomed.project_id, tenant_id: doomed.tenant_id };
  const bystander = await given.key({ project_id: doomed.project_id });
  const halfway = Promise.withResolvers<void>();
  const under = { tenantId: doomed.tenant_id };
  const revoking = hold(app, async (tx) => {
    const lockParent = () => halfway.promise;
    return unchanged(await revokeKeysUnder(tx, under, { reason: 'ended', lockParent }));
  });
  await sleep(PAUSE_MS);
  await as.liveKey('POST /v1/keys', { ...place, env: 'live' });
  await as.liveKey('PATCH /v1/keys/{id}', { id: bystander.id, name: 'still here' });
  await as.liveKey('PATCH /v1/tenants/{id}', { id: doomed.tenant_id, name: 'still here' });
  equal((await as.liveKey('GET /v1/keys/{id}', { id: doomed.id })).revoked_at, null);
  halfway.resolve();
  const { count } = await (await revoking).letGo();
  equal(count, 2, 'the key created in the meantime is revoked too');
});
