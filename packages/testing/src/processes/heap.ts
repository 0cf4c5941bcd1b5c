// A server process's memory: its heap after a garbage collection, requested over the inspector, and
// its resident memory as the system reports it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerProcess } from './server.ts';

/** Settings that open the inspector on any free port on this machine. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

export type Memory = { heapMiB: number; residentMiB: number };

const MIB = 1_048_576;
const PAGE_BYTES = 4096;

export async function memoryOf(server: ServerProcess): Promise<Memory> {
  const address = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(server.output())?.[0];
  if (!address) throw new Error('The inspector is not open: start the server with INSPECTED.');
  const inspector = new WebSocket(address);
  await once(inspector, 'open');
  const ask = async (method: string): Promise<Record<string, unknown>> => {
    const answered = once(inspector, 'message');
    inspector.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = await answered;
    return JSON.parse(String(data)).result;
  };
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  const closed = once(inspector, 'close');
  inspector.close();
  await closed;
  const [, pages] = readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ');
  return { heapMiB: Number(usedSize) / MIB, residentMiB: (Number(pages) * PAGE_BYTES) / MIB };
}
