/**
 * Runs the planted bugs: every test named in bugs.ts must pass here, and fail in a copy of the tree
 * with the patch applied.
 *
 *   npm run planted                    all of them
 *   npm run planted -- --handful 4     four of them, different each day
 *   npm run planted -- 07 21           these two
 */
import { parseArgs } from 'node:util';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { startPostgres } from '@keyrail/testing/stores/postgres.ts';
import { findPostgres } from '@keyrail/testing/stores/postgres-binaries.ts';
import { type Planted, plantedBugs } from './bugs.ts';
import { copyTree } from './copied-tree.ts';
import { handful } from './handful.ts';
import { runPlanted } from './run.ts';

function chosen(): readonly Planted[] {
  const { values, positionals } = parseArgs({
    options: { handful: { type: 'string' } },
    allowPositionals: true,
  });
  if (values.handful !== undefined) {
    return handful(plantedBugs, Number(values.handful), systemClock.now());
  }
  if (positionals.length === 0) return plantedBugs;
  return plantedBugs.filter(({ patch }) => positionals.some((text) => patch.startsWith(text)));
}

async function main(): Promise<void> {
  const bugs = chosen();
  const needsPostgres = bugs.some(({ store }) => store === 'postgres');
  const found = findPostgres();
  if (needsPostgres && 'missing' in found) throw new Error(found.missing);
  const postgres = needsPostgres ? await startPostgres({ durable: false }) : null;
  const tree = copyTree();
  process.once('exit', tree.remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130));
  }
  let missed = 0;
  for (const bug of bugs) {
    const place = { tree, postgresUrl: postgres?.superuserUrl ?? null };
    const { planted, why, ms } = await runPlanted(bug, place);
    if (why !== null) missed += 1;
    const seconds = (ms / 1_000).toFixed(1);
    console.log(`${why === null ? 'caught' : `MISSED (${why})`}: ${planted.patch}, ${seconds} s`);
  }
  await postgres?.stop();
  console.log(`${bugs.length - missed} of ${bugs.length} planted bugs were caught`);
  process.exit(missed > 0 ? 1 : 0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
