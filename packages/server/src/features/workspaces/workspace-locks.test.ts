// Changes to the workspace row, paused in the middle of their transaction. Every change in a
// workspace inserts audit rows that refer to the workspace row. A lock on that row must not block
// these inserts; otherwise, two transactions could wait for each other. Skipped on the embedded
// store, which has only one connection.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness } from '@keyrail/testing/harness.ts';
import { hold, operationsOf } from '@keyrail/testing/operations.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import type { Change, Write } from '../../doors/door.ts';
import type { Plan } from '../../doors/plan.ts';
import { changeRole } from '../members/change-role.ts';
import { removeMember } from '../members/remove-member.ts';
import { updateWorkspace } from './update-workspace.ts';

const skip = storeName === 'embedded' ? 'one connection: no concurrent transactions' : false;

type Held = {
  what: string;
  change(tx: Write, userId: string): Promise<Change<unknown> | Plan<unknown>>;
};

const changes: Held[] = [
  { what: 'a workspace is renamed', change: (tx) => updateWorkspace(tx, { name: 'Renamed' }) },
  { what: 'a role is changed', change: (tx, userId) => changeRole(tx, { userId, role: 'admin' }) },
  {
    what: 'a member is removed',
    change: (tx, userId) => removeMember(tx, { userId, revokesKeys: true }),
  },
];

const others: ((app: Harness) => Promise<unknown>)[] = [
  ({ as }) => as.liveKey('POST /v1/secret_keys', { env: 'test' }),
  ({ given }) => given.key(),
];

for (const { what, change } of changes) {
  test(`other changes are not blocked while ${what}`, { skip }, async (t) => {
    const app = await harness(t);
    const { userId } = await app.people.member();
    const first = await hold(app, (tx) => change(tx, userId));
    for (const other of others) await other(app);
    await first.letGo();
  });
}

test('two membership changes in a workspace run one after the other', { skip }, async (t) => {
  const app = await harness(t);
  const { userId } = await app.people.member();
  const toAdmin = await hold(app, (tx) => changeRole(tx, { userId, role: 'admin' }));
  const again = operationsOf(app)((tx) => changeRole(tx, { userId, role: 'member' }));
  await toAdmin.letGo();
  equal((await again).role, 'member');
  const rows = (await app.as.liveKey('GET /v1/audit_logs', { limit: 200 })).data;
  equal(rows.filter(({ action }) => action === 'workspace_member.role_changed').length, 2);
});
