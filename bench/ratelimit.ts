// Rate-limit checks over HTTP. With Redis: against a bare route with one script call, and against
// rate-limiter-flexible with the same rules. In memory: against the same bare route, and against
// one that responds immediately.
import { startRedis } from '@keyrail/testing/stores/redis.ts';
import { openPeerServer } from './children.ts';
import { compareRates } from './compare.ts';
import { underLoad } from './contestants.ts';
import { openPostgres, startOnPostgres } from './keyrail.ts';
import { openLoader } from './loader.ts';
import { foundWorkspace, requestText } from './requests.ts';
import { type Laps, takeTurns } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const names = ['check, redis', 'one EVALSHA', 'flexible', 'check, memory', 'trivial POST'] as const;
type Name = (typeof names)[number];

const check = {
  project_id: '01890000-0000-7000-8000-000000000001',
  env: 'live',
  key_id: '01890000-0000-7000-8000-000000000002',
  tenant_id: '01890000-0000-7000-8000-000000000003',
  cost: 1,
  limits: [
    { id: 'burst', limit: 1e9, window_ms: 1000, algorithm: 'fixed', scope: 'key' },
    { id: 'day', limit: 1e9, window_ms: 86_400_000, algorithm: 'sliding', scope: 'tenant' },
  ],
};

const post = (path: string, token?: string): string =>
  requestText({ method: 'POST', path, body: check, ...(token === undefined ? {} : { token }) });

export async function measureRatelimit(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const redis = keep(await startRedis());
    const store = keep(await openPostgres()); // stores the secret key; checks do not query it
    const loader = keep(await openLoader());
    const keyrail = async (name: Name, slug: string, settings: Record<string, string>) => {
      const server = keep(await startOnPostgres(store.url, settings));
      const token = await foundWorkspace(server.port, server.bootstrapToken, slug);
      return underLoad<Name>(loader, { name, server, request: post('/v1/ratelimit/check', token) });
    };
    const peer = async (name: Name, which: string) => {
      const settings = { BENCH_PEER: which, BENCH_REDIS_URL: redis.url };
      const server = keep(await openPeerServer('limiter-servers.ts', settings));
      return underLoad<Name>(loader, { name, server, request: post('/') });
    };
    return findings(
      await takeTurns<Name>([
        await keyrail('check, redis', 'on-redis', { REDIS_URL: redis.url }),
        await peer('one EVALSHA', 'evalsha'),
        await peer('flexible', 'flexible'),
        await keyrail('check, memory', 'in-memory', {}),
        await peer('trivial POST', 'trivial'),
      ]),
    );
  });
}

function findings(laps: Laps<Name>): Finding[] {
  const compare = (ours: Name, peer: Name, least: number): Finding =>
    compareRates(laps, { name: `ratelimit: ${ours}`, ours, peer, least });
  return [
    compare('check, redis', 'one EVALSHA', 0.7),
    compare('check, redis', 'flexible', 1),
    compare('check, memory', 'one EVALSHA', 0.8),
    // The same target against a route without any call, which is the harder of the two.
    compare('check, memory', 'trivial POST', 0.8),
  ];
}
