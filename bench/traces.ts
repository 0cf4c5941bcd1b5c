// Measures the cost of traces by sending the same request to three servers on one store. One has no
// OpenTelemetry settings, one has a sampler that never records a trace, and one records and exports
// every trace.
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { openServer } from './load/programs.ts';
import { getRequest } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { atLeast, type Goal, higherIsBetter } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import { openPostgres, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

type Name = 'no traces' | 'none sampled' | 'all sampled';

const NONE_SAMPLED_MIN = 0.8;

export async function measureTraces({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const collector = stopAtEnd(await openServer('peers/collector-server.ts'));
    const generator = stopAtEnd(await openLoadGenerator());
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
    const contestant = async (name: Name, slug: string, more: Record<string, string>) => {
      const server = stopAtEnd(await startOnPostgres(store.url, more));
      const { token } = await createWorkspace(server, slug);
      const request = getRequest('/v1/workspace', token);
      return underLoad<Name>(generator, { name, server, request });
    };
    const samples = await runRounds<Name>(roundsOf(plan), [
      await contestant('no traces', 'off', {}),
      await contestant('none sampled', 'none', { ...settings, OTEL_TRACES_SAMPLER: 'always_off' }),
      await contestant('all sampled', 'all', settings),
    ]);
    const compare = (ours: Name, goal: Goal): void => {
      const name = `traces: GET /v1/workspace, ${ours}`;
      report(compareRates(samples, { name, ours, peer: 'no traces', goal }));
    };
    compare('none sampled', atLeast(NONE_SAMPLED_MIN));
    compare('all sampled', higherIsBetter);
  });
}
