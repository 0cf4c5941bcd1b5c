/**
 * The benchmark. Each number stands beside a peer that was measured in turns with it in the same
 * run. A missed target is printed but does not fail the run.
 *
 *   npm run bench                 everything
 *   npm run bench -- reads        one measurement, or several by their names
 */
import { availableParallelism, loadavg } from 'node:os';
import { measureChanges } from './changes.ts';
import { measureEmbeddedChanges } from './embedded-changes.ts';
import { measureIdempotency } from './idempotency.ts';
import { measureIngest } from './ingest.ts';
import { measureKeys } from './keys.ts';
import { measureOverload } from './overload.ts';
import { measurePolicy } from './policy-feed.ts';
import { measureRatelimit } from './ratelimit.ts';
import { measureReads } from './reads.ts';
import { measureSdk } from './sdk.ts';
import { measureStart } from './start.ts';
import { type Finding, tableOf } from './table.ts';

const measurements: Record<string, () => Promise<Finding[]>> = {
  changes: measureChanges,
  reads: measureReads,
  keys: measureKeys,
  policy: measurePolicy,
  overload: measureOverload,
  start: measureStart,
  'embedded-changes': measureEmbeddedChanges,
  ratelimit: measureRatelimit,
  idempotency: measureIdempotency,
  ingest: measureIngest,
  sdk: measureSdk,
};

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !(name in measurements));
  if (unknown.length > 0) {
    console.error(
      `Unknown measurement ${unknown.join(', ')}. Known: ${Object.keys(measurements).join(', ')}.`,
    );
    process.exitCode = 2;
    return;
  }
  console.log(conditions());
  const findings: Finding[] = [];
  for (const [name, measure] of Object.entries(measurements)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(name);
    findings.push(...(await measure()));
  }
  console.log(`\n${tableOf(findings)}`);
}

/** Ratios tolerate a busy machine, rates and times do not. The load is therefore printed. */
function conditions(): string {
  const cores = availableParallelism();
  const [load = 0] = loadavg();
  const busy = load > cores / 4 ? '; other work runs beside this, so trust the ratios alone' : '';
  return `Node ${process.version}, ${cores} cores, load ${load.toFixed(1)} before the start${busy}`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(130));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
