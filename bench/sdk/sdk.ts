// The SDK: memory and time for a million keys, a decision compared with the one hash in it and with
// better-auth's API-key plugin, and Express with and without Keyrail.
import { openServer, openWorker } from '../load/programs.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { OVERRUN_MAX } from '../measure/overrun.ts';
import type { Run } from '../measure/plan.ts';
import { openPostgres } from '../setup/keyrail.ts';
import { type BetterAuth, measureDecisions, type SdkNode } from './decisions.ts';
import { measureExpress } from './express.ts';
import { findingsOfLoading, LOADING_MS } from './loading.ts';

const FEW = 1000;

export async function measureSdk(run: Run): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const store = stopAtEnd(await openPostgres());
    const file = 'peers/better-auth.ts';
    const betterAuth: BetterAuth = {
      onPostgres: stopAtEnd(await openWorker(file, { BENCH_URL: store.url })),
      inMemory: stopAtEnd(await openWorker(file)),
    };
    await measureWith(run, FEW, betterAuth);
    await measureWith(run, run.plan.keys, betterAuth);
  });
}

const measureWith = (run: Run, keys: number, betterAuth: BetterAuth): Promise<void> =>
  withCleanup(async (stopAtEnd) => {
    const settings = { BENCH_KEYS: String(keys) };
    const feed = stopAtEnd(
      await openServer('sdk/feed-server.ts', settings, LOADING_MS * OVERRUN_MAX),
    );
    if (keys === FEW) await measureExpress(run, feed);
    const node: SdkNode = stopAtEnd(await openWorker('sdk/node.ts'));
    const loaded = await node.run({ kind: 'load', port: feed.port, keys }, LOADING_MS);
    if (!('bytesPerKey' in loaded)) throw new Error('the node did not load a policy');
    if (keys !== FEW) {
      for (const finding of findingsOfLoading(keys, loaded)) run.report(finding);
    }
    await measureDecisions(run, keys, { node, betterAuth });
  });
