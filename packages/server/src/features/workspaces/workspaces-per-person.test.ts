// The number of workspaces a user can create is limited; otherwise, they could get around each
// workspace's limits by creating more.
import { equal, match } from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ask, codeOf, harness, messageOf } from '@keyrail/testing/harness.ts';
import { callersOf, newMember, newPerson, type Person, someone } from '@keyrail/testing/people.ts';
import { appBeside } from '@keyrail/testing/second-app.ts';

const create = 'POST /v1/workspaces';
const MOST = 10;
const AT_ONCE = 30;

let slugs = 0;
const wanted = () => {
  slugs += 1;
  return { name: 'Globex', slug: `per-person-${process.pid}-${slugs}` };
};

const creating = (t: TestContext) => harness(t).then((app) => ({ app, opened: app.testApp }));

const createMany = async (person: Person, count: number) => {
  const created: Awaited<ReturnType<typeof createOne>>[] = [];
  for (let at = 0; at < count; at += 1) created.push(await createOne(person));
  return created;
};
const createOne = ({ call }: Person) => call(create, wanted());

test('a user can create ten workspaces, and an eleventh gets a 409', async (t) => {
  const { app, opened } = await creating(t);
  const person = await someone(app);
  await createMany(person, MOST);
  const headers = { authorization: `Bearer ${person.token}` };
  const refusal = await ask(opened, create, { input: wanted(), headers });
  equal(`${refusal.status} ${codeOf(refusal)}`, '409 conflict');
  match(String(messageOf(refusal)), /still own 10 workspaces you created/);
  const other = await someone(app);
  await createOne(other);
});

test('if a user requests thirty workspaces concurrently, exactly ten are created', async (t) => {
  const { app, opened } = await creating(t);
  const person = await someone(app);
  const headers = { authorization: `Bearer ${person.token}` };
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => ask(opened, create, { input: wanted(), headers })),
  );
  const counted = (status: number) => answers.filter((each) => each.status === status).length;
  equal(counted(201), MOST);
  equal(counted(409), AT_ONCE - MOST);
  equal((await person.call('GET /v1/auth/me')).memberships.length, MOST);
});

test('workspaces created by others do not count towards the limit, nor do those the user has left', async (t) => {
  const { app, opened } = await creating(t);
  const as = callersOf(app);
  const guest = await newMember(opened, as, { inviter: app.as.liveKey, role: 'owner' });
  const [first] = await createMany(guest, MOST);
  if (!first) throw new Error('no workspace was created');
  const inviter = as(first.secret_key.key);
  await newMember(opened, as, { inviter, role: 'owner' });
  await inviter('DELETE /v1/members/{userId}', { userId: guest.userId });
  await createOne(guest);
  const headers = { authorization: `Bearer ${guest.token}` };
  equal((await ask(opened, create, { input: wanted(), headers })).status, 409);
  // The workspace counts towards its creator's limit again once the creator rejoins as an owner.
  const { token } = await inviter('POST /v1/invites', { email: guest.email, role: 'owner' });
  await guest.call('POST /v1/auth/invites/accept', { token });
  const beside = appBeside(t, opened, { workspacesPerPersonMax: MOST + 1 });
  equal((await ask(beside, create, { input: wanted(), headers })).status, 409);
});

test('the limit is configurable, and the bootstrap token is exempt from it', async (t) => {
  const { opened, app } = await creating(t);
  const beside = appBeside(t, opened, { workspacesPerPersonMax: 1 });
  const person = await newPerson(beside, beside.as);
  await createOne(person);
  const headers = { authorization: `Bearer ${person.token}` };
  equal((await ask(beside, create, { input: wanted(), headers })).status, 409);
  for (let at = 0; at < 3; at += 1) await app.as.bootstrap(create, wanted());
});
