// From spawn to the first 200 of /readyz: the time a user of `npm start` waits. The peer is a bare
// program that opens the same database directory and runs one query.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openWorker } from './children.ts';
import { scratchDirectory, startEmbedded } from './keyrail.ts';
import { judge, ratios, spread } from './rounds.ts';
import type { Finding } from './table.ts';

const RUNS = 5;
const SECONDS_MAX = 2;

export async function measureStart(): Promise<Finding[]> {
  const directory = scratchDirectory();
  try {
    const first = await secondsToReady(directory.path);
    report('first start', first);
    const twin = join(directory.path, 'twin');
    cpSync(join(directory.path, 'database'), twin, { recursive: true });
    const ours: number[] = [];
    const bare: number[] = [];
    for (let run = 1; run <= RUNS; run += 1) {
      ours.push(report(`run ${run}  keyrail`, await secondsToReady(directory.path)));
      bare.push(report(`run ${run}  bare store`, await secondsToOpen(twin)));
    }
    return findings({ first, ours, bare });
  } finally {
    directory.remove();
  }
}

async function secondsToReady(directory: string): Promise<number> {
  const began = performance.now();
  const server = await startEmbedded(directory);
  const seconds = (performance.now() - began) / 1000;
  await server.stop();
  return seconds;
}

async function secondsToOpen(directory: string): Promise<number> {
  const began = performance.now();
  const worker = await openWorker('bare-store.ts', { BENCH_DIRECTORY: directory });
  const seconds = (performance.now() - began) / 1000;
  await worker.stop();
  return seconds;
}

function report(name: string, seconds: number): number {
  console.log(`  ${name.padEnd(24)}${shown(seconds)}`);
  return seconds;
}

const shown = (seconds: number): string => `${seconds.toFixed(2)} s`;

type Times = { first: number; ours: number[]; bare: number[] };

const findings = ({ first, ours, bare }: Times): Finding[] => [
  {
    name: 'start: embedded, existing directory',
    ours: spread(ours, shown),
    peer: `bare store ${spread(bare, shown)}`,
    ratio: spread(ratios(ours, bare), (value) => value.toFixed(2)),
    target: `< ${SECONDS_MAX} s`,
    met: judge(ours, (value) => value < SECONDS_MAX),
  },
  {
    name: 'start: embedded, very first',
    ours: shown(first),
    peer: '-',
    ratio: '-',
    target: 'context',
    met: null,
  },
];
