// Measures a rate-limited request, using either leases or checks, compared with the same request
// without limits, both for a few busy keys and for many. Also counts how many requests each variant
// makes to the control plane. The limit is far above the traffic, because nodes switch from leases
// to checks near a limit. The control plane counts in memory.
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { openServer, openWorker, type Server } from './load/programs.ts';
import { getRequest } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { createFinding } from './measure/finding.ts';
import { atLeast, atMost, type Goal, higherIsBetter, lowerIsBetter } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { type Contestant, runRounds, type Samples } from './measure/rounds.ts';
import type { LeaseMemory, LeaseMemoryCommand } from './sdk/lease-memory.ts';
import { openPostgres, startOnPostgres } from './setup/keyrail.ts';
import { createProject, type Project } from './setup/projects.ts';
import { type Call, createWorkspace } from './setup/workspaces.ts';

const KEYS = [1, 10, 1000];
const RATIO_MIN = 0.8;
const LIMIT = {
  id: 'hourly',
  limit: 1_000_000_000,
  window_ms: 3_600_000,
  algorithm: 'sliding',
  scope: 'key',
};
/**
 * Rounds are longer than usual, but the pause between a node's rounds is short enough that the node
 * doesn't return its leased units.
 */
const ROUNDS = { warmUpMs: 12_000, roundMs: 3000, rounds: 9 };
const CHECK_ROUNDS = { warmUpMs: 1000, roundMs: 1000, rounds: 5 };

const BUSY_KEYS = 10_000;
const MEMORY_MB_MAX = 64;
const MEMORY_MS = 20_000;

type Way = 'leases' | 'checks' | 'none';
type Counts = { calls: number; requests: number };

export async function measureLeases(run: Run): Promise<void> {
  await measureMemory(run);
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const keyrail = stopAtEnd(await startOnPostgres(store.url));
    const { token, call } = await createWorkspace(keyrail, 'leases');
    const project = await createProject(call);
    await call('PATCH', `/v1/projects/${project.projectId}`, { default_rate_limits: [LIMIT] });
    const secrets = await createSecrets(call, project, Math.max(...KEYS));
    const generator = stopAtEnd(await openLoadGenerator());
    const open = async (way: Way): Promise<Server> =>
      stopAtEnd(
        await openServer('peers/limited-server.ts', {
          BENCH_URL: `http://127.0.0.1:${keyrail.port}`,
          BENCH_TOKEN: token,
          BENCH_PROJECT: project.projectId,
          BENCH_LIMITS: way,
        }),
      );
    const servers: Record<Way, Server> = {
      leases: await open('leases'),
      checks: await open('checks'),
      none: await open('none'),
    };
    for (const keys of KEYS) {
      const request = secrets.slice(0, keys).map((secret) => getRequest('/', secret));
      const loaded = (name: Way) =>
        underLoad<Way>(generator, { name, server: servers[name], request });
      const onLease = counted(loaded('leases'), servers.leases);
      const leased = await runRounds<Way>(roundsOf(run.plan, ROUNDS), [
        onLease.contestant,
        loaded('none'),
      ]);
      const checked = await runRounds<Way>(roundsOf(run.plan, CHECK_ROUNDS), [
        loaded('checks'),
        loaded('none'),
      ]);
      const among = `${keys} busy ${keys === 1 ? 'key' : 'keys'}`;
      const against = (samples: Samples<Way>, ours: Way, goal: Goal) =>
        run.report(
          compareRates(samples, {
            name: `leases: a limited request with ${ours}, ${among}`,
            ours,
            peer: 'none',
            label: 'without limits',
            goal,
          }),
        );
      against(leased, 'leases', atLeast(RATIO_MIN));
      against(checked, 'checks', higherIsBetter);
      run.report(
        createFinding({
          name: `leases: requests to the control plane for 1,000 requests, ${among}`,
          values: [onLease.perThousand()],
          show: (calls) => calls.toFixed(1),
          goal: lowerIsBetter,
        }),
      );
    }
  });
}

async function measureMemory({ plan, report }: Run): Promise<void> {
  const worker = await openWorker<LeaseMemoryCommand, LeaseMemory>('sdk/lease-memory.ts');
  const busy = Math.min(BUSY_KEYS, plan.keys);
  const { bytes, local } = await worker.run({ keys: plan.keys, busy }, MEMORY_MS);
  await worker.stop();
  const share = `${Math.round(local * 100)} % of busy keys' requests decided locally`;
  report(
    createFinding({
      name: `leases: memory with ${plan.keys} keys, ${busy} of them busy`,
      values: [bytes / 1e6],
      show: (megabytes) => `${megabytes.toFixed(1)} MB`,
      goal: atMost(MEMORY_MB_MAX),
      ratio: share,
    }),
  );
}

const AT_ONCE = 16;

async function createSecrets(call: Call, project: Project, count: number): Promise<string[]> {
  const secrets: string[] = [];
  const body = { project_id: project.projectId, tenant_id: project.tenantId, env: 'live' };
  while (secrets.length < count) {
    const some = Array.from({ length: AT_ONCE }, () => call('POST', '/v1/keys', body));
    for (const { key } of await Promise.all(some)) secrets.push(String(key));
  }
  return secrets;
}

/** Also records how many requests the node makes to the control plane in each round. */
function counted(contestant: Contestant<Way>, { port }: Server) {
  const rounds: Counts[] = [];
  const callsSoFar = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/calls`);
    return Number(((await response.json()) as { calls: number }).calls);
  };
  return {
    contestant: {
      ...contestant,
      run: async (ms: number) => {
        const before = await callsSoFar();
        const sample = await contestant.run(ms);
        const calls = (await callsSoFar()) - before;
        rounds.push({ calls, requests: (sample.perSecond * ms) / 1000 });
        return sample;
      },
    },
    // The rate is computed over all rounds, because many keys may happen to request leases in one
    // round.
    perThousand: () => (1000 * sumOf(rounds, 'calls')) / sumOf(rounds, 'requests'),
  };
}

const sumOf = (rounds: readonly Counts[], name: keyof Counts): number =>
  rounds.reduce((sum, round) => sum + round[name], 0);
