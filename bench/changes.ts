// Measures changes that are made in one workspace over HTTP, with PostgreSQL as the store, compared
// with the same statements sent by bare `pg`.
import { measureCreations } from './creations.ts';
import { createSecretKeyRequest } from './load/requests.ts';
import { compareRates, rateOf } from './measure/compare.ts';
import { atLeast, higherIsBetter } from './measure/goal.ts';
import type { Run } from './measure/plan.ts';

const RATIO_MIN = 0.6;
const PER_SECOND_MIN = 600;

export async function measureChanges({ plan, report }: Run): Promise<void> {
  const samples = await measureCreations(plan, async ({ token }) => ({
    request: createSecretKeyRequest(token),
    parents: null,
  }));
  report(
    compareRates(samples, {
      name: 'changes: POST /v1/secret_keys, one workspace',
      ours: 'keyrail',
      peer: 'bare pg',
      goal: atLeast(RATIO_MIN),
    }),
  );
  report(
    rateOf(samples, { name: 'changes: rate', ours: 'keyrail', goal: atLeast(PER_SECOND_MIN) }),
  );
  report(
    compareRates(samples, {
      name: 'changes: against bare pg, each statement awaited',
      ours: 'keyrail',
      peer: 'bare pg, awaited',
      label: 'bare pg',
      goal: higherIsBetter,
    }),
  );
}
