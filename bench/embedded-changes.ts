// Measures changes in one workspace on the embedded store. There is nothing comparable to measure
// them against, so the result has no goal.
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { createSecretKeyRequest } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { rateOf } from './measure/compare.ts';
import { higherIsBetter } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import { scratchDirectory, startEmbedded } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

export async function measureEmbeddedChanges({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const directory = scratchDirectory();
    stopAtEnd({ stop: async () => directory.remove() });
    const server = stopAtEnd(await startEmbedded(directory.path));
    const generator = stopAtEnd(await openLoadGenerator());
    const { token } = await createWorkspace(server, 'embedded');
    const request = createSecretKeyRequest(token);
    const samples = await runRounds(roundsOf(plan), [
      underLoad(generator, { name: 'embedded', server, request }),
    ]);
    const name = 'embedded-changes: POST /v1/secret_keys';
    report(rateOf(samples, { name, ours: 'embedded', goal: higherIsBetter }));
  });
}
