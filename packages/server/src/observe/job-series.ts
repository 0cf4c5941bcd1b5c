// Counts how often the worker's jobs run, and records when each one last succeeded.
import { metricText, type Sample } from '@keyrail/protocol/wire/metrics-text.ts';
import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';

/** Wraps a job so that its runs are counted. */
export type ObserveJob = <T>(name: string, run: () => Promise<T>) => () => Promise<T>;

type Runs = { passed: number; failed: number; lastPassedSeconds: number };

export function createJobTally(clock: Clock): { observe: ObserveJob; text(): string } {
  const jobs = new Map<string, Runs>();
  const observe: ObserveJob = (name, run) => {
    const runs = jobs.get(name) ?? { passed: 0, failed: 0, lastPassedSeconds: 0 };
    jobs.set(name, runs);
    return async () => {
      try {
        const result = await run();
        runs.passed += 1;
        runs.lastPassedSeconds = clock.now().getTime() / SECOND_MS;
        return result;
      } catch (error) {
        runs.failed += 1;
        throw error;
      }
    };
  };
  return { observe, text: () => textOf([...jobs]) };
}

const textOf = (jobs: [string, Runs][]): string =>
  metricText(
    'keyrail_job_runs_total',
    'Job runs in this process, by outcome.',
    jobs.flatMap(([name, { passed, failed }]): Sample[] => [
      [{ name, outcome: 'passed' }, passed],
      [{ name, outcome: 'failed' }, failed],
    ]),
  ) +
  metricText(
    'keyrail_job_last_passed_timestamp_seconds',
    'When a job last succeeded in this process; 0 if never.',
    jobs.map(([name, { lastPassedSeconds }]) => [{ name }, lastPassedSeconds]),
  );
