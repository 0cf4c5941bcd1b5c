// A removed owner can't rejoin with secret keys they left behind. The keys themselves stop working
// only if they are revoked along with the membership.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, harness, refused } from '@keyrail/testing/harness.ts';
import { callersOf, newAddress, newMember, type Person } from '@keyrail/testing/people.ts';

const accept = 'POST /v1/auth/invites/accept';
const invite = 'POST /v1/invites';
const mint = 'POST /v1/secret_keys';
const rotate = 'POST /v1/secret_keys/{id}/rotate';
const remove = 'DELETE /v1/members/{userId}';

const anOwner = (app: Harness): Promise<Person> =>
  newMember(app.testApp, callersOf(app), { inviter: app.as.liveKey, role: 'owner' });

type Minted = { id: string; key: string };

/**
 * Creates secret keys that trace back to the user, such as keys created by the user's own key, or
 * by rotating it.
 */
async function keysOf(app: Harness, { call }: Person): Promise<Record<string, Minted>> {
  const own = await call(mint, { env: 'live' });
  const byKey = await app.as.token(own.key)(mint, { env: 'live' });
  const byItself = await app.as.token(own.key)(rotate, { id: own.id });
  const shared = await call(mint, { env: 'live' });
  const byOther = await app.as.owner(rotate, { id: shared.id });
  const twice = await app.as.token(byItself.key)(rotate, { id: byItself.id });
  return { own, byKey, byItself, shared, byOther, twice };
}

const invitedWith = ({ as }: Harness, { key }: Minted) =>
  as.token(key)(invite, { email: newAddress(), role: 'owner' });

const openInvites = async ({ as }: Harness): Promise<string[]> =>
  (await as.liveKey('GET /v1/invites')).data
    .filter((one) => one.accepted_at === null && one.revoked_at === null)
    .map(({ id }) => id);

for (const what of ['removed', 'demoted'] as const) {
  test(`a ${what} owner cannot rejoin through an invitation sent with a secret key`, async (t) => {
    const app = await harness(t);
    await app.people.owner();
    const leaving = await anOwner(app);
    const kept = await invitedWith(app, { id: '', key: app.tokens.liveKey });
    const keys = await keysOf(app, leaving);
    const invites = new Map<string, string>();
    for (const [how, key] of Object.entries(keys)) {
      invites.set(how, (await invitedWith(app, key)).token);
    }
    const { userId } = leaving;
    if (what === 'removed') await app.as.owner(remove, { userId });
    else await app.as.owner('PATCH /v1/members/{userId}', { userId, role: 'member' });
    for (const [how, token] of invites) {
      await refused(leaving.call(accept, { token }), 400, 'invalid_token').catch((cause) => {
        throw new Error(how, { cause });
      });
    }
    deepEqual(await openInvites(app), [kept.id], 'others keep their invitations');
  });
}

test('the response to removing an owner says how many of their keys remain, and those keys keep working', async (t) => {
  const app = await harness(t);
  await app.people.owner();
  const leaving = await anOwner(app);
  const keys = await keysOf(app, leaving);
  const other = await app.as.owner(mint, { env: 'live' });
  const { id: revoked } = await leaving.call(mint, { env: 'test' });
  await leaving.call('POST /v1/secret_keys/{id}/revoke', { id: revoked });
  const soon = new Date(app.clock.now().getTime() + 60_000).toISOString();
  await leaving.call(mint, { env: 'test', expires_at: soon });
  app.clock.shift(61_000);
  const gone = await app.as.owner(remove, { userId: leaving.userId });
  deepEqual([gone.revoked_secret_keys, gone.owner_secret_keys], [0, Object.keys(keys).length]);
  for (const { key } of [...Object.values(keys), other]) {
    await app.as.token(key)('GET /v1/workspace');
  }
});

test('secret_keys=revoke revokes the keys the member created, in the same change', async (t) => {
  const app = await harness(t);
  await app.people.owner();
  const leaving = await anOwner(app);
  const { own, shared, ...madeWithThem } = await keysOf(app, leaving);
  const created = [own, shared].map((one) => one ?? { id: '', key: '' });
  const admin = await app.people.admin();
  const others = [
    ...Object.values(madeWithThem),
    await app.as.owner(mint, { env: 'live' }),
    await admin.call(mint, { env: 'live' }),
  ];
  for (const { key } of created) await app.as.token(key)('GET /v1/workspace');
  const { head_seq } = await app.as.liveKey('GET /v1/audit_logs/chain');
  const wanted = { userId: leaving.userId, secret_keys: 'revoke' };
  await app.as.owner(remove, { ...wanted, dry_run: true });
  for (const { key } of created) await app.as.token(key)('GET /v1/workspace');
  const gone = await app.as.owner(remove, wanted);
  deepEqual(
    [gone.revoked_secret_keys, gone.owner_secret_keys],
    [created.length, Object.keys(madeWithThem).length],
  );
  for (const { key } of created) {
    await refused(app.as.token(key)('GET /v1/workspace'), 401, 'invalid_key');
  }
  for (const { key } of others) await app.as.token(key)('GET /v1/workspace');
  const { data } = await app.as.liveKey('GET /v1/audit_logs', { after_seq: head_seq });
  deepEqual(
    data
      .filter(({ action }) => action === 'secret_key.revoked')
      .map(({ target_id }) => target_id)
      .toSorted(),
    created.map(({ id }) => id).toSorted(),
  );
  equal(data.filter(({ action }) => action === 'workspace_member.removed').length, 1);
});

for (const secret_keys of ['keep', 'revoke'] as const) {
  test(`with secret_keys=${secret_keys}, ${secret_keys === 'keep' ? 'no key is' : "an admin's keys are"} revoked`, async (t) => {
    const app = await harness(t);
    const { call, userId } = await app.people.admin();
    const { key } = await call(mint, { env: 'live' });
    const gone = await app.as.owner(remove, { userId, secret_keys });
    equal(gone.owner_secret_keys, 0);
    equal(gone.revoked_secret_keys, secret_keys === 'revoke' ? 1 : 0);
    const used = app.as.token(key)('GET /v1/workspace');
    await (secret_keys === 'revoke' ? refused(used, 401, 'invalid_key') : used);
  });
}
