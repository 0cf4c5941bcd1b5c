/**
 * The benchmark. Each result is shown next to a peer's, measured alternately in the same run. A
 * missed goal is printed but does not fail the run. See README.md.
 *
 *   npm run bench                              everything
 *   npm run bench -- reads sdk                 only these benchmarks
 *   npm run bench -- --json before.json        writes the findings to a file
 *   npm run bench -- compare before.json after.json
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBackup } from './backup.ts';
import { measureChanges } from './changes.ts';
import { measureDashboard } from './dashboard/dashboard.ts';
import { measureEdge } from './edge.ts';
import { measureEmbeddedChanges } from './embedded-changes.ts';
import { measureEvents } from './events.ts';
import { measureIdempotency } from './idempotency.ts';
import { measureIngest } from './ingest.ts';
import { measureKeys } from './keys.ts';
import { measureLeases } from './leases.ts';
import { compareRuns } from './measure/compare-runs.ts';
import { createPlan, type Plan, type Run } from './measure/plan.ts';
import { type Conditions, createResults, readResults, writeResults } from './measure/results.ts';
import { lineOf, tableOfFindings } from './measure/table.ts';
import { measureOverload } from './overload.ts';
import { measurePolicy } from './policy/policy.ts';
import { measureRelay } from './policy/relay.ts';
import { measureSignedFeed } from './policy/signed-feed.ts';
import { measureRatelimit } from './ratelimit.ts';
import { measureReads } from './reads.ts';
import { measureSdk } from './sdk/sdk.ts';
import { measureStart } from './start.ts';
import { measureTraces } from './traces.ts';

type Benchmark = (run: Run) => Promise<void>;

const benchmarks: Record<string, Benchmark> = {
  changes: measureChanges,
  reads: measureReads,
  keys: measureKeys,
  events: measureEvents,
  policy: measurePolicy,
  'signed-feed': measureSignedFeed,
  relay: measureRelay,
  overload: measureOverload,
  start: measureStart,
  'embedded-changes': measureEmbeddedChanges,
  ratelimit: measureRatelimit,
  leases: measureLeases,
  idempotency: measureIdempotency,
  ingest: measureIngest,
  traces: measureTraces,
  backup: measureBackup,
  sdk: measureSdk,
  edge: measureEdge,
  dashboard: measureDashboard,
};

const INTERRUPTED = 130;

type CommandLine = { names: string[]; plan: Plan; file: string | null };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      json: { type: 'string' },
      keys: { type: 'string' },
      brief: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [first, before, after] = positionals;
  if (first === 'compare') {
    if (!before || !after) throw new Error('compare needs two files: before and after');
    console.log(compareRuns(readResults(before), readResults(after)));
    return;
  }
  const plan = createPlan(values.brief, keysFrom(values.keys));
  await runBenchmarks({ names: knownNames(positionals), plan, file: values.json ?? null });
}

function keysFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--keys must be a positive number, not ${text}`);
  return Number(text);
}

function knownNames(names: string[]): string[] {
  const known = Object.keys(benchmarks);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`unknown benchmark ${unknown.join(', ')}; known: ${known.join(', ')}`);
  }
  return names.length > 0 ? known.filter((name) => names.includes(name)) : known;
}

/** A failing benchmark is reported and doesn't prevent the others from running. */
async function runBenchmarks({ names, plan, file }: CommandLine): Promise<void> {
  const conditions = currentConditions();
  console.log(textOf(conditions, plan));
  const results = createResults(conditions, plan);
  const save = (): void => {
    if (file !== null) writeResults(file, results);
  };
  const printTable = (): void => console.log(`\n${tableOfFindings(results.findings)}`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      printTable();
      process.exit(INTERRUPTED);
    });
  }
  save();
  for (const name of names) {
    console.log(name);
    const report: Run['report'] = (finding) => {
      results.findings.push(finding);
      console.log(`= ${lineOf(finding)}`);
      save();
    };
    try {
      await benchmarks[name]?.({ plan, report });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      results.failures.push({ benchmark: name, reason });
      console.error(`FAILED ${name}:`, error);
      save();
      process.exitCode = 1;
    }
  }
  printTable();
}

const currentConditions = (): Conditions => ({
  node: process.version,
  cores: availableParallelism(),
  load: loadavg()[0] ?? 0,
  startedAt: new Date().toISOString(),
});

/**
 * A busy machine hardly affects ratios, but it does affect rates and times, so its load is printed.
 */
function textOf({ node, cores, load }: Conditions, { isBrief }: Plan): string {
  const busy = load > cores / 4 ? '; other work is running, so trust only the ratios' : '';
  const brief = isBrief ? '; a brief run, so its numbers mean nothing' : '';
  return `Node ${node}, ${cores} cores, load ${load.toFixed(1)} at the start${busy}${brief}`;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
