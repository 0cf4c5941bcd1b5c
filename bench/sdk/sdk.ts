// The SDK's benchmarks: memory and time for a million keys; a decision, compared with a lookup in a
// `Map` by SHA-256 and with better-auth's API-key plugin; Express with and without Keyrail.
import { openServer, openWorker, type Server } from '../load/programs.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { OVERRUN_MAX } from '../measure/overrun.ts';
import type { Run } from '../measure/plan.ts';
import { openPostgres } from '../setup/keyrail.ts';
import { type BetterAuth, measureDecisions, type SdkNode } from './decisions.ts';
import { measureExpress } from './express.ts';
import { findingsOfLoading, LOADING_MS, type Loaded } from './loading.ts';

const FEW = 1000;

export async function measureSdk(run: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const file = 'peers/better-auth.ts';
    const betterAuth: BetterAuth = {
      onPostgres: stopAtEnd(await openWorker(file, { BENCH_URL: store.url })),
      inMemory: stopAtEnd(await openWorker(file)),
    };
    await measureFew(run, betterAuth);
    await measureMany(run, betterAuth);
  });
}

const measureFew = (run: Run, betterAuth: BetterAuth): Promise<void> =>
  withCleanup(async (stopAtEnd) => {
    const feed = stopAtEnd(await openFeed(FEW));
    await measureExpress(run, feed);
    const { node } = await openNode(feed, FEW);
    stopAtEnd(node);
    await measureDecisions(run, FEW, { node, betterAuth });
  });

const measureMany = (run: Run, betterAuth: BetterAuth): Promise<void> =>
  withCleanup(async (stopAtEnd) => {
    const { keys } = run.plan;
    const feed = stopAtEnd(await openFeed(keys));
    const { node, loaded } = await openNode(feed, keys);
    stopAtEnd(node);
    for (const finding of findingsOfLoading(keys, loaded)) run.report(finding);
    await measureDecisions(run, keys, { node, betterAuth });
  });

const openFeed = (keys: number): Promise<Server> =>
  openServer('sdk/feed-server.ts', { BENCH_KEYS: String(keys) }, LOADING_MS * OVERRUN_MAX);

async function openNode(
  { port }: Server,
  keys: number,
): Promise<{ node: SdkNode; loaded: Loaded }> {
  const node: SdkNode = await openWorker('sdk/node.ts');
  const loaded = await node.run({ kind: 'load', port, keys }, LOADING_MS);
  if (!('bytesPerKey' in loaded)) throw new Error('the node did not load a policy');
  return { node, loaded };
}
