// The parent's side of the load generator: one child process for a whole measurement, so that its
// code is as warm in the first round as in the last.
import { openWorker, type Worker } from './children.ts';

export type LoadOrder = { port: number; request: string; connections: number; ms: number };

export type LoadResult = {
  answered: number;
  ms: number;
  p50Ms: number;
  p99Ms: number;
  /** The generator's share of one core. Near 1, the generator limits the rate. */
  cpuShare: number;
};

export const CONNECTIONS = 32;

export type Loader = {
  run(target: { port: number; request: string }, ms: number): Promise<LoadResult>;
  stop(): Promise<void>;
};

export async function openLoader(): Promise<Loader> {
  const worker: Worker<LoadOrder, LoadResult> = await openWorker('load.ts');
  return {
    run: ({ port, request }, ms) => worker.ask({ port, request, connections: CONNECTIONS, ms }, ms),
    stop: worker.stop,
  };
}
