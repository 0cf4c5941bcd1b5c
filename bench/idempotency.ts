// Claim and complete of new scopes, over HTTP on PostgreSQL, against the same statements sent by
// bare `pg`. One count is one claim with its complete.
import type { ClaimOrder, ClaimResult } from './bare-idempotency.ts';
import { openWorker, type Program } from './children.ts';
import { compareRates } from './compare.ts';
import { timed } from './contestants.ts';
import { openPostgres, POOL_SIZE, startOnPostgres } from './keyrail.ts';
import { CONNECTIONS } from './loader.ts';
import { foundWorkspace } from './requests.ts';
import { type Contestant, takeTurns } from './rounds.ts';
import { whileOpen } from './stop.ts';
import type { Finding } from './table.ts';

const RATIO_MIN = 0.6;

type Name = 'claim and complete' | 'bare statements';

export async function measureIdempotency(): Promise<Finding[]> {
  return whileOpen(async (keep) => {
    const store = keep(await openPostgres());
    const server = keep(await startOnPostgres(store.url));
    const token = await foundWorkspace(server.port, server.bootstrapToken, 'once');
    const worker = keep(
      await openWorker<ClaimOrder, ClaimResult>('bare-idempotency.ts', {
        BENCH_URL: store.url,
        BENCH_PORT: String(server.port),
        BENCH_TOKEN: token,
        BENCH_WORKSPACE: await workspaceOf(server.port, token),
        BENCH_POOL_SIZE: String(POOL_SIZE),
      }),
    );
    const contestant = (name: Name, by: ClaimOrder['by'], measured: Program): Contestant<Name> => ({
      name,
      run: (ms) =>
        timed(measured, async () => {
          const result = await worker.ask({ ms, concurrency: CONNECTIONS, by }, ms);
          return { count: result.done, ms: result.ms, remark: '' };
        }),
    });
    const laps = await takeTurns<Name>([
      contestant('claim and complete', 'http', server),
      contestant('bare statements', 'statements', worker),
    ]);
    return [
      compareRates(laps, {
        name: 'idempotency: claim and complete',
        ours: 'claim and complete',
        peer: 'bare statements',
        least: RATIO_MIN,
      }),
    ];
  });
}

async function workspaceOf(port: number, token: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/workspace`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
  const body: unknown = await answer.json();
  return typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : '';
}
