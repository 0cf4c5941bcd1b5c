// Compares changes in a workspace that sends events to webhook endpoints with changes in one that
// has no endpoints. No worker runs, so nothing is sent and the result is the cost of queueing.
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { createSecretKeyRequest } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { atLeast } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import { openPostgres, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

const ENDPOINTS = 5;
/** A change in a workspace with endpoints may take at most 1.2 times as long as one without. */
const RATIO_MIN = 1 / 1.2;

type Name = 'five endpoints' | 'no endpoint';

export async function measureEvents({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url, { KEYRAIL_WEBHOOK_PRIVATE: 'on' }));
    const generator = stopAtEnd(await openLoadGenerator());
    const heard = await createWorkspace(server, 'heard');
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const endpoint = { url: 'http://127.0.0.1:1/', events: ['*'] };
      await heard.call('POST', '/v1/webhook_endpoints', endpoint);
    }
    const silent = await createWorkspace(server, 'silent');
    const load = (name: Name, token: string) =>
      underLoad<Name>(generator, { name, server, request: createSecretKeyRequest(token) });
    const samples = await runRounds<Name>(roundsOf(plan), [
      load('five endpoints', heard.token),
      load('no endpoint', silent.token),
    ]);
    report(
      compareRates(samples, {
        name: 'events: POST /v1/secret_keys, five endpoints',
        ours: 'five endpoints',
        peer: 'no endpoint',
        goal: atLeast(RATIO_MIN),
      }),
    );
  });
}
