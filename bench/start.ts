// Measures the time from spawning the server to the first 200 from /readyz: how long users wait for
// `npm start`. The peer is a bare program that opens the same database directory and runs one
// query.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openWorker } from './load/programs.ts';
import { createFinding, showMedian, showRatio, showSeconds } from './measure/finding.ts';
import { atMost } from './measure/goal.ts';
import type { Run } from './measure/plan.ts';
import { ratios } from './measure/statistics.ts';
import { scratchDirectory, startEmbedded } from './setup/keyrail.ts';

const STARTS = 5;
const BRIEF_STARTS = 2;
const FIRST_SECONDS_MAX = 4;
const SECONDS_MAX = 1.5;

export async function measureStart({ plan, report }: Run): Promise<void> {
  const directory = scratchDirectory();
  try {
    report(
      createFinding({
        name: 'start: embedded, very first',
        values: [await secondsToReady(directory.path)],
        show: showSeconds,
        goal: atMost(FIRST_SECONDS_MAX),
      }),
    );
    const copy = join(directory.path, 'copy');
    cpSync(join(directory.path, 'database'), copy, { recursive: true });
    const ours: number[] = [];
    const bare: number[] = [];
    while (ours.length < (plan.isBrief ? BRIEF_STARTS : STARTS)) {
      ours.push(print('keyrail', await secondsToReady(directory.path)));
      bare.push(print('bare store', await secondsToOpen(copy)));
    }
    report(
      createFinding({
        name: 'start: embedded, existing directory',
        values: ours,
        show: showSeconds,
        goal: atMost(SECONDS_MAX),
        peer: `bare store ${showMedian(bare, showSeconds)}`,
        ratio: showMedian(ratios(ours, bare), showRatio),
      }),
    );
  } finally {
    directory.remove();
  }
}

async function secondsToReady(directory: string): Promise<number> {
  const beganAt = performance.now();
  const server = await startEmbedded(directory);
  const seconds = (performance.now() - beganAt) / 1000;
  await server.stop();
  return seconds;
}

async function secondsToOpen(directory: string): Promise<number> {
  const beganAt = performance.now();
  const worker = await openWorker('peers/bare-store.ts', { BENCH_DIRECTORY: directory });
  const seconds = (performance.now() - beganAt) / 1000;
  await worker.stop();
  return seconds;
}

function print(name: string, seconds: number): number {
  console.log(`  ${name.padEnd(24)}${showSeconds(seconds)}`);
  return seconds;
}
