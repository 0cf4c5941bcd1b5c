// Every line leaves in the audit log exactly what its fixture says, and the chain stays whole.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { bench } from '../bench.ts';
import { fixtureOf, served } from './lines.ts';

test('every successful call appends the rows that it should, and no others', async (t) => {
  const held = await bench(t);
  const actionsAfter = async (seq: number) =>
    (await held.as.liveKey('GET /v1/audit_logs', { after_seq: seq, limit: 200 })).data.map(
      ({ action }) => action,
    );
  for (const line of served) {
    const { caller, input, audits } = fixtureOf(line);
    const wanted = await input(held);
    const call = held.as[caller];
    if (caller === 'embed') await held.embed();
    if (caller === 'owner') await held.people.owner(); // joining is in the log too, but before
    const { head_seq: before } = await held.as.liveKey('GET /v1/audit_logs/chain');
    await call(line, wanted);
    deepEqual(await actionsAfter(before), audits, line);
  }
  const chain = await held.as.liveKey('GET /v1/audit_logs/chain');
  equal(chain.verified, true);
  equal(chain.checked, chain.head_seq);
});
