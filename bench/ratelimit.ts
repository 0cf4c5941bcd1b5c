// Measures rate-limit checks over HTTP. With Redis, they are compared with a bare route that makes
// one script call, and with rate-limiter-flexible using the same rules. In memory, they are
// compared with the same bare route, and with one that responds immediately.
import { startRedis } from '@keyrail/testing/stores/redis.ts';
import { underLoad } from './load/contestants.ts';
import { openLoadGenerator } from './load/load-generator.ts';
import { openServer } from './load/programs.ts';
import { requestText } from './load/requests.ts';
import { withCleanup } from './measure/cleanup.ts';
import { compareRates } from './measure/compare.ts';
import { atLeast } from './measure/goal.ts';
import { type Run, roundsOf } from './measure/plan.ts';
import { runRounds } from './measure/rounds.ts';
import { openPostgres, startOnPostgres } from './setup/keyrail.ts';
import { createWorkspace } from './setup/workspaces.ts';

type Name = 'check, redis' | 'one EVALSHA' | 'flexible' | 'check, memory' | 'trivial POST';

/** How many keys the checks cycle through. */
const KEYS = 500;

const checkOf = (key: number) => ({
  project_id: '01890000-0000-7000-8000-000000000001',
  env: 'live',
  key_id: `01890000-0000-7000-8000-${String(key).padStart(12, '0')}`,
  tenant_id: '01890000-0000-7000-8000-000000000003',
  cost: 1,
  limits: [
    { id: 'burst', limit: 1e9, window_ms: 1000, algorithm: 'fixed', scope: 'key' },
    { id: 'day', limit: 1e9, window_ms: 86_400_000, algorithm: 'sliding', scope: 'tenant' },
  ],
});

const post = (path: string, token?: string): string[] =>
  Array.from({ length: KEYS }, (_, key) => {
    const body = checkOf(key);
    return requestText({ method: 'POST', path, body, ...(token === undefined ? {} : { token }) });
  });

export async function measureRatelimit({ plan, report }: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const redis = stopAtEnd(await startRedis());
    const store = stopAtEnd(await openPostgres()); // for the secret key; checks send no queries
    const generator = stopAtEnd(await openLoadGenerator());
    const keyrail = async (name: Name, slug: string, settings: Record<string, string>) => {
      const server = stopAtEnd(await startOnPostgres(store.url, settings));
      const { token } = await createWorkspace(server, slug);
      const request = post('/v1/ratelimit/check', token);
      return underLoad<Name>(generator, { name, server, request });
    };
    const peer = async (name: Name, which: string) => {
      const settings = { BENCH_PEER: which, BENCH_REDIS_URL: redis.url };
      const server = stopAtEnd(await openServer('peers/limiter-server.ts', settings));
      return underLoad<Name>(generator, { name, server, request: post('/') });
    };
    const samples = await runRounds<Name>(roundsOf(plan), [
      await keyrail('check, redis', 'on-redis', { REDIS_URL: redis.url }),
      await peer('one EVALSHA', 'evalsha'),
      await peer('flexible', 'flexible'),
      await keyrail('check, memory', 'in-memory', {}),
      await peer('trivial POST', 'trivial'),
    ]);
    const compare = (ours: Name, peer: Name, ratioMin: number): void => {
      const name = `ratelimit: ${ours}, against ${peer}`;
      report(compareRates(samples, { name, ours, peer, goal: atLeast(ratioMin) }));
    };
    compare('check, redis', 'one EVALSHA', 0.7);
    compare('check, redis', 'flexible', 1);
    compare('check, memory', 'one EVALSHA', 0.8);
    // The same ratio is harder to reach here, because this route makes no Redis call.
    compare('check, memory', 'trivial POST', 0.8);
  });
}
