// Contestants of a round: a server under load, or a program that does the work by itself.
import { cpuMsOf, type Program } from './children.ts';
import type { Loader } from './loader.ts';
import type { Contestant, Lap } from './rounds.ts';

type Served<Name extends string> = {
  name: Name;
  server: Program & { port: number };
  request: string;
};

export const underLoad = <Name extends string>(
  loader: Loader,
  { name, server, request }: Served<Name>,
): Contestant<Name> => ({
  name,
  run: (ms) =>
    timed(server, async () => {
      const load = await loader.run({ port: server.port, request }, ms);
      const generator = `generator ${Math.round(load.cpuShare * 100)} % of a core`;
      const latency = `p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms`;
      return { count: load.answered, ms: load.ms, remark: `${latency}, ${generator}` };
    }),
});

type Work = { count: number; ms: number; remark: string };

/** Adds the CPU time per piece of work, which a busy machine distorts less than the rate. */
export async function timed(program: Program, work: () => Promise<Work>): Promise<Lap> {
  const before = cpuMsOf(program);
  const { count, ms, remark } = await work();
  const after = cpuMsOf(program);
  const cost =
    before === null || after === null
      ? ''
      : `${Math.round(((after - before) * 1000) / count)} µs of CPU each`;
  return {
    perSecond: (count * 1000) / ms,
    remark: [cost, remark].filter((part) => part !== '').join(', '),
  };
}
