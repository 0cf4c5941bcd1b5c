// Every endpoint appends exactly the audit rows that its fixture lists, and the chain stays valid.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';
import { fixtureOf, served } from './lines.ts';

test('every successful call appends its own audit rows and no others', async (t) => {
  const app = await harness(t);
  const actionsAfter = async (seq: number) =>
    (await app.as.liveKey('GET /v1/audit_logs', { after_seq: seq, limit: 200 })).data.map(
      ({ action }) => action,
    );
  for (const line of served) {
    const { caller, input, audits } = fixtureOf(line);
    const wanted = await input(app);
    const call = app.as[caller];
    if (caller === 'embed') await app.embed();
    if (caller === 'owner') await app.people.owner(); // joins now: joining is audited
    const { head_seq: before } = await app.as.liveKey('GET /v1/audit_logs/chain');
    await call(line, wanted);
    deepEqual(await actionsAfter(before), audits, line);
  }
  const chain = await app.as.liveKey('GET /v1/audit_logs/chain');
  equal(chain.verified, true);
  equal(chain.checked, chain.head_seq);
});
