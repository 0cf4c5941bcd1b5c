// The parent's side of the load generator. One child process serves a whole benchmark, so that its
// code is as warm in the first round as in the last.
import type { Counted } from '../measure/overrun.ts';
import { openWorker, type Worker } from './programs.ts';

/** If `request` is a list, its requests are sent in rotation. */
export type LoadCommand = {
  port: number;
  request: string | readonly string[];
  connections: number;
  ms: number;
};

export type LoadResult = Counted & {
  p50Ms: number;
  p99Ms: number;
  /**
   * The generator's CPU load, as a fraction of one core. Near 1, the generator itself limits the
   * rate.
   */
  cpuShare: number;
};

export const CONNECTIONS = 32;

export type LoadGenerator = {
  run(target: Pick<LoadCommand, 'port' | 'request'>, ms: number): Promise<LoadResult>;
  stop(): Promise<void>;
};

export async function openLoadGenerator(): Promise<LoadGenerator> {
  const worker: Worker<LoadCommand, LoadResult> = await openWorker('load/generator-program.ts');
  return {
    run: ({ port, request }, ms) => worker.run({ port, request, connections: CONNECTIONS, ms }, ms),
    stop: worker.stop,
  };
}
