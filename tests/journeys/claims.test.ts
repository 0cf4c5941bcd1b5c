// Several processes receive idempotency claims for the same scopes, and one process is killed in
// the meantime. Each scope's request runs only once, and every process replays its response.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { newScope } from '../laws/hot-fixtures.ts';
import { BOOTSTRAP_TOKEN, deploy, type Running } from './deployment.ts';

const skip = process.env.KEYRAIL_TEST_STORE !== 'postgres' && 'several processes need PostgreSQL';
const SCOPES = 60;
const CLAIMS_EACH = 12;
const KILLED_AFTER = SCOPES / 2;
const CLAIM = 'POST /v1/idempotency/claim';

test('of several concurrent claims only one runs, even if a process is killed', {
  skip,
}, async (t) => {
  const site = await deploy(t);
  const programs = [await site.run(), await site.run()] as [Running, Running];
  const founding = { name: 'Claims', slug: 'claims' };
  const { secret_key } = await programs[0].as(BOOTSTRAP_TOKEN)('POST /v1/workspaces', founding);
  const token = String(secret_key.key);
  const through = (at: number) => programs[at % 2] ?? programs[0];
  let unanswered = 0;

  for (let at = 0; at < SCOPES; at += 1) {
    const scope = { scope_hash: newScope(), env: 'live' };
    const claim = { ...scope, fingerprint: newScope() };
    const asked = Promise.allSettled(
      Array.from({ length: CLAIMS_EACH }, (_, n) => through(n).ask(CLAIM, claim, token)),
    );
    if (at === KILLED_AFTER) await programs[1].kill();
    const settled = await asked;
    if (at === KILLED_AFTER) programs[1] = await site.run();
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body] : []));
    unanswered += settled.length - answers.length;
    const holders = answers.filter(({ state }) => state === 'execute');
    ok(holders.length <= 1, `${holders.length} claims may execute`);
    if (at !== KILLED_AFTER) equal(holders.length, 1, JSON.stringify(answers[0]));
    const [holder] = holders;
    if (!holder) continue; // the killed process never sent the winner's response
    const done = { ...scope, lock_token: holder.lock_token, status: 201, body: 'b2s=' };
    const completed = await programs[0].ask('POST /v1/idempotency/complete', done, token);
    equal(completed.body.outcome, 'ok');
    const again = await programs[0].ask(CLAIM, claim, token);
    deepEqual([again.body.state, again.body.stolen], ['replay', false]);
  }
  t.diagnostic(`${unanswered} claims were lost with the killed process`);
});
