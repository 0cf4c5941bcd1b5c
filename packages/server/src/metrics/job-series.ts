// Counts the runs of the worker's jobs, and remembers when each last passed.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import { SECOND_MS } from '../base/duration.ts';

/** Wraps a job so that its runs are counted. */
export type ObserveJob = <T>(name: string, run: () => Promise<T>) => () => Promise<T>;

export function addJobSeries(register: Registry, clock: Clock): ObserveJob {
  const runs = new Counter({
    name: 'keyrail_job_runs_total',
    help: 'Runs of jobs in this process, by outcome.',
    labelNames: ['name', 'outcome'],
    registers: [register],
  });
  const passedAt = new Gauge({
    name: 'keyrail_job_last_passed_timestamp_seconds',
    help: 'When a job last passed in this process; 0 if it has not.',
    labelNames: ['name'],
    registers: [register],
  });
  return (name, run) => {
    const passed = runs.labels({ name, outcome: 'passed' });
    const failed = runs.labels({ name, outcome: 'failed' });
    passed.inc(0);
    failed.inc(0);
    passedAt.set({ name }, 0);
    return async () => {
      try {
        const result = await run();
        passed.inc();
        passedAt.set({ name }, clock.now().getTime() / SECOND_MS);
        return result;
      } catch (error) {
        failed.inc();
        throw error;
      }
    };
  };
}
