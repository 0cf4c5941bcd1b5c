// Measures "hello world" in Express, with and without the SDK.
import { underLoad } from '../load/contestants.ts';
import { openLoadGenerator } from '../load/load-generator.ts';
import { openServer } from '../load/programs.ts';
import { getRequest } from '../load/requests.ts';
import { withCleanup } from '../measure/cleanup.ts';
import { compareRates } from '../measure/compare.ts';
import { atLeast } from '../measure/goal.ts';
import { type Run, roundsOf } from '../measure/plan.ts';
import { runRounds } from '../measure/rounds.ts';
import { keyOf } from './keys.ts';

const RATIO_MIN = 0.85;

type Name = 'protected' | 'bare';

export async function measureExpress({ plan, report }: Run, feed: { port: number }): Promise<void> {
  await withCleanup(async (stopAtEnd) => {
    const file = 'peers/express-server.ts';
    const bare = stopAtEnd(await openServer(file));
    const guarded = stopAtEnd(await openServer(file, { BENCH_FEED: String(feed.port) }));
    const generator = stopAtEnd(await openLoadGenerator());
    const request = getRequest('/', keyOf(0).secret);
    const samples = await runRounds<Name>(roundsOf(plan), [
      underLoad<Name>(generator, { name: 'protected', server: guarded, request }),
      underLoad<Name>(generator, { name: 'bare', server: bare, request }),
    ]);
    report(
      compareRates(samples, {
        name: 'sdk: Express, hello world, protected',
        ours: 'protected',
        peer: 'bare',
        goal: atLeast(RATIO_MIN),
      }),
    );
  });
}
