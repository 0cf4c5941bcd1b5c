// Contestants in a round: a server under load, or a worker that does the work itself.
import { type Counted, perSecond } from '../measure/overrun.ts';
import type { Contestant, Sample } from '../measure/rounds.ts';
import { CONNECTIONS, type LoadGenerator } from './load-generator.ts';
import type { Program, Server, Worker } from './programs.ts';
import { cpuMsOf } from './usage.ts';

type Served<Name extends string> = {
  name: Name;
  server: Server;
  request: string | readonly string[];
};

export const underLoad = <Name extends string>(
  generator: LoadGenerator,
  { name, server, request }: Served<Name>,
): Contestant<Name> => ({
  name,
  run: (ms) =>
    sampleOf(server, async () => {
      const load = await generator.run({ port: server.port, request }, ms);
      const cpu = `generator ${Math.round(load.cpuShare * 100)} % of a core`;
      const latency = `p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms`;
      return { ...load, remark: `${latency}, ${cpu}` };
    }),
});

/** Fields shared by the commands of all workers. */
export type Span = { ms: number; concurrency: number };

type Working<Name extends string, Command extends Span> = {
  name: Name;
  worker: Worker<Command, Counted>;
  /** Builds the worker's command for one round. */
  command: (span: Span) => Command;
  /** The program whose CPU time is measured. By default, this is the worker itself. */
  measured?: Program;
};

export const byWorker = <Name extends string, Command extends Span>({
  name,
  worker,
  command,
  measured = worker,
}: Working<Name, Command>): Contestant<Name> => ({
  name,
  run: (ms) =>
    sampleOf(measured, async () => {
      const counted = await worker.run(command({ ms, concurrency: CONNECTIONS }), ms);
      return { ...counted, remark: '' };
    }),
});

/**
 * Adds the CPU time per operation to a sample. A busy machine distorts CPU time less than the rate.
 */
async function sampleOf(
  program: Program,
  work: () => Promise<Counted & { remark: string }>,
): Promise<Sample> {
  const before = cpuMsOf(program);
  const { remark, ...counted } = await work();
  const after = cpuMsOf(program);
  const parts = remark === '' ? [] : [remark];
  if (before !== null && after !== null) {
    const microseconds = ((after - before) * 1000) / Math.max(counted.done, 1);
    parts.unshift(`${Math.round(microseconds)} µs of CPU each`);
  }
  return {
    perSecond: perSecond(counted),
    isEnded: counted.isEnded,
    remark: parts.join(', '),
  };
}
