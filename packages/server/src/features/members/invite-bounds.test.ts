// Invitations per hour are limited, and an owner's invitations are revoked when the owner is
// removed or demoted.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, codeOf, type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { hold } from '@keyrail/testing/operations.ts';
import { callersOf, newAddress, newMember, someone } from '@keyrail/testing/people.ts';
import { seededBytes, storeName } from '@keyrail/testing/test-app.ts';
import { deadlineAfter } from '../../base/deadline.ts';
import { allEnvs } from '../../doors/reach.ts';
import { openWrite } from '../../doors/write.ts';
import { invitePerson } from './invite-person.ts';
import { removeMember } from './remove-member.ts';

const invite = 'POST /v1/invites';
const revoke = 'POST /v1/invites/{id}/revoke';
const accept = 'POST /v1/auth/invites/accept';

const PER_HOUR = 50;
const HOUR_MS = 3_600_000;

const invitation = () => ({ email: newAddress(), role: 'member' });

const anOwner = (vendor: Harness) =>
  newMember(vendor.testApp, callersOf(vendor), { inviter: vendor.as.liveKey, role: 'owner' });

const openInvites = async ({ as }: Harness) =>
  (await as.liveKey('GET /v1/invites')).data.filter(
    ({ accepted_at, revoked_at }) => accepted_at === null && revoked_at === null,
  );

test('a workspace can send at most 50 invitations an hour, even with concurrent requests', async (t) => {
  const vendor = await harness(t);
  const authorization = `Bearer ${vendor.tokens.liveKey}`;
  const ask = (): Promise<Answer> => vendor.ask(invite, invitation(), { authorization });
  const answers = await Promise.all(Array.from({ length: PER_HOUR + 10 }, ask));
  equal(answers.filter(({ status }) => status === 201).length, PER_HOUR);
  const refusals = answers.filter(({ status }) => status !== 201);
  for (const answer of refusals) {
    equal(`${answer.status} ${codeOf(answer)}`, '429 rate_limited');
    const seconds = Number(answer.headers['retry-after']);
    ok(seconds > 3500 && seconds <= 3600, `${seconds}`);
  }
  const [{ id } = { id: '' }] = await openInvites(vendor);
  await vendor.as.liveKey(revoke, { id });
  equal((await ask()).status, 429, 'a revoked invitation counts too');
  const other = await harness(t);
  await other.as.liveKey(invite, invitation());

  vendor.clock.shift(Number(refusals[0]?.headers['retry-after']) * 1000);
  equal((await ask()).status, 201);
});

test('a removed owner cannot rejoin through their own invitation', async (t) => {
  const vendor = await harness(t);
  await vendor.people.owner();
  const leaving = await anOwner(vendor);
  const kept = [
    await leaving.call(invite, { email: leaving.email, role: 'owner' }),
    await leaving.call(invite, invitation()),
  ];
  const withdrawn = await leaving.call(invite, invitation());
  await leaving.call(revoke, { id: withdrawn.id });
  const others = await vendor.as.owner(invite, invitation());
  const { head_seq } = await vendor.as.liveKey('GET /v1/audit_logs/chain');
  await vendor.as.owner('DELETE /v1/members/{userId}', { userId: leaving.userId });

  for (const { token } of kept) {
    await refused(leaving.call(accept, { token }), 400, 'invalid_token');
    await refused((await someone(vendor)).call(accept, { token }), 400, 'invalid_token');
  }
  deepEqual(
    (await openInvites(vendor)).map(({ id }) => id),
    [others.id],
  );
  const rows = (await vendor.as.liveKey('GET /v1/audit_logs', { after_seq: head_seq })).data;
  deepEqual(
    rows.map(({ action }) => action),
    ['workspace_member.removed', 'workspace_invite.revoked', 'workspace_invite.revoked'],
  );
  deepEqual(
    rows
      .slice(1)
      .map(({ target_id }) => target_id)
      .toSorted(),
    kept.map(({ id }) => id).toSorted(),
  );
  deepEqual(
    rows
      .slice(1)
      .map(({ payload }) => payload.role)
      .toSorted(),
    ['member', 'owner'],
  );
});

test('a demotion revokes the member’s invitations, but a promotion does not', async (t) => {
  const vendor = await harness(t);
  await vendor.people.owner();
  for (const role of ['admin', 'member'] as const) {
    const { userId, call, email } = await anOwner(vendor);
    const { token } = await call(invite, { email, role: 'owner' });
    await vendor.as.owner('PATCH /v1/members/{userId}', { userId, role });
    await refused((await someone(vendor)).call(accept, { token }), 400, 'invalid_token');
    const promoted = await vendor.as.owner(invite, invitation());
    await vendor.as.owner('PATCH /v1/members/{userId}', { userId, role: 'owner' });
    await (await someone(vendor)).call(accept, { token: promoted.token });
  }
});

const skip = storeName === 'embedded' ? 'the embedded store has only one connection' : false;

test('an owner cannot send an invitation while being removed', { skip }, async (t) => {
  const vendor = await harness(t);
  await vendor.people.owner();
  const { userId } = await anOwner(vendor);
  const { app, db } = vendor.testApp;
  const write = openWrite(
    {
      db,
      newId: app.worker.newId,
      randomBytes: seededBytes('meeting'),
      seal: () => Buffer.alloc(0),
      announce: () => {},
    },
    {
      workspaceId: vendor.workspaceId,
      envs: allEnvs,
      authority: 'owner',
      actor: { type: 'user', id: userId },
    },
    { deadline: deadlineAfter(HOUR_MS) },
  );
  const removing = await hold(vendor, (tx) => removeMember(tx, { userId, revokesKeys: false }));
  const wanted = { email: newAddress(), role: 'owner' as const, perHourMax: PER_HOUR };
  const meeting = rejects(
    write((tx) => invitePerson(tx, wanted)),
    /no longer an owner/,
  );
  await removing.letGo();
  await meeting;
  deepEqual(await openInvites(vendor), []);
});
