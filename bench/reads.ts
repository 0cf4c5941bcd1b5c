// Measures authenticated reads, compared with a minimal route in the same framework that either
// does nothing or reads one row under row-level security. A busy key is looked up only every 50 ms,
// and concurrent reads of the same row share a statement.
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { openServer } from './load/programs.ts';
import { getRequest } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { atLeast, type Goal, higherIsBetter } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import { openPostgres, POOL_SIZE, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

const RATIO_MIN = 0.5;

type Name = 'GET /v1/environments' | 'GET /v1/workspace' | 'trivial route' | 'one bare select';

export async function measureReads({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const server = stopAtEnd(await startOnPostgres(store.url));
    const trivial = stopAtEnd(await openServer('peers/trivial-server.ts'));
    const select = stopAtEnd(
      await openServer('peers/select-server.ts', {
        BENCH_URL: store.url,
        BENCH_POOL_SIZE: String(POOL_SIZE),
      }),
    );
    const generator = stopAtEnd(await openLoadGenerator());
    const { token } = await createWorkspace(server, 'reads');
    const authenticated = (name: Name, path: string) =>
      underLoad<Name>(generator, { name, server, request: getRequest(path, token) });
    const request = getRequest('/');
    const samples = await runRounds<Name>(roundsOf(plan), [
      authenticated('GET /v1/environments', '/v1/environments'),
      underLoad<Name>(generator, { name: 'trivial route', server: trivial, request }),
      authenticated('GET /v1/workspace', '/v1/workspace'),
      underLoad<Name>(generator, { name: 'one bare select', server: select, request }),
    ]);
    const compare = (ours: Name, peer: Name, goal: Goal): void =>
      report(compareRates(samples, { name: `reads: ${ours}, against ${peer}`, ours, peer, goal }));
    compare('GET /v1/environments', 'trivial route', atLeast(RATIO_MIN));
    compare('GET /v1/workspace', 'trivial route', atLeast(RATIO_MIN));
    // Shown for comparison: what the statement costs when concurrent reads don't share it.
    compare('GET /v1/workspace', 'one bare select', higherIsBetter);
    compare('one bare select', 'trivial route', higherIsBetter);
  });
}
