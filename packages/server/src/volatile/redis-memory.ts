// Determines from `INFO memory` whether a server can keep counters. A server that evicts keys loses
// counters, and a server that is nearly full will soon refuse new counters.
import type { Outage } from '../base/outage.ts';

/** A server, and its `INFO memory` output. */
export type MemoryReport = { server: string; text: string };

export type ServerMemory = {
  server: string;
  /** 0 if memory is not limited. */
  maxBytes: number;
  usedBytes: number;
  /** True if the server is nearly full and will refuse writes once it is full. */
  isNearFull: boolean;
};

/**
 * A server that uses more than this fraction of its memory is reported while there is still time to
 * act, because a full server refuses every charge.
 */
const NEAR_SHARE = 0.8;
/** The warning is cleared at a lower fraction, so that it doesn't flap at the threshold. */
const NEAR_NO_MORE_SHARE = 0.75;

const NEAR_FULL = 'used_memory is near maxmemory';

type MemoryWatch = {
  /** Reads the servers' memory. Never rejects, because checks must work even if this fails. */
  look(): Promise<void>;
  remark(): string | null;
  close(): void;
};

type WatchParts = {
  /** Asks all servers for their memory. Returns those that respond; never rejects. */
  ask(): Promise<readonly MemoryReport[]>;
  /**
   * Reports a fault after each `look` that finds a server nearly full, and its end after any other.
   */
  nearFull: Outage | undefined;
  onLook(memories: readonly ServerMemory[]): void;
};

export function openMemoryWatch({ ask, nearFull, onLook }: WatchParts): MemoryWatch {
  let remark: string | null = null;
  let isClosed = false;
  return {
    async look() {
      // If no server responds, the previous warning is kept.
      const reports = await ask();
      if (reports.length === 0 || isClosed) return;
      const texts = reports.map(({ text }) => text);
      onLook(reports.map((one) => memoryOf(one, remark)));
      remark = remarkOn(texts, remark);
      if (remark === NEAR_FULL) nearFull?.fault(new Error(remark));
      else nearFull?.over();
    },
    remark: () => remark,
    close() {
      isClosed = true;
    },
  };
}

/** Returns a warning about the servers, or null. `before` is the previous warning. */
export function remarkOn(memories: readonly string[], before: string | null): string | null {
  const remarks = memories.map((memory) => remarkOnOne(memory, before));
  return remarks.find((remark) => remark !== null) ?? null;
}

const memoryOf = ({ server, text }: MemoryReport, before: string | null): ServerMemory => ({
  server,
  maxBytes: numberIn(text, 'maxmemory'),
  usedBytes: usedBytesIn(text),
  isNearFull: remarkOnOne(text, before) === NEAR_FULL,
});

/** Replica buffers do not count towards maxmemory. */
const usedBytesIn = (text: string): number =>
  numberIn(text, 'used_memory') - numberIn(text, 'mem_not_counted_for_evict');

function remarkOnOne(memory: string, before: string | null): string | null {
  const maxBytes = numberIn(memory, 'maxmemory');
  if (maxBytes === 0) return null;
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
  if (policy !== 'noeviction') return `maxmemory-policy is ${policy}`;
  const usedBytes = usedBytesIn(memory);
  const share = before === NEAR_FULL ? NEAR_NO_MORE_SHARE : NEAR_SHARE;
  return usedBytes >= share * maxBytes ? NEAR_FULL : null;
}

const numberIn = (memory: string, name: string): number =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0);
