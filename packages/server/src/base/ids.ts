// Time-ordered UUIDs (version 7): 48 bits of milliseconds, then chance. New rows land at the end
// of their index, and (created_at, id) sorts as people expect.
import type { Clock } from './clock.ts';
import type { RandomBytes } from './random.ts';

export type NewId = () => string;

/**
 * Within one millisecond the ids of one maker still ascend: the twelve bits after the version
 * count up from a random start, and a full counter borrows the next millisecond.
 */
export function idMaker(clock: Clock, randomBytes: RandomBytes): NewId {
  let lastMs = 0;
  let counter = 0;
  return () => {
    const chance = Buffer.from(randomBytes(10));
    const nowMs = clock.now().getTime();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = chance.readUInt16BE(8) & 0x07ff;
    } else {
      counter += 1;
      if (counter > 0x0fff) {
        lastMs += 1;
        counter = 0;
      }
    }
    const time = lastMs.toString(16).padStart(12, '0');
    const variant = (0x8000 | (chance.readUInt16BE(0) & 0x3fff)).toString(16);
    const version = (0x7000 | counter).toString(16);
    const tail = chance.toString('hex', 2, 8);
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${tail}`;
  };
}

/** Ids of requests: told apart, not kept. Each request pays for one, so it is but a count. */
export function requestIdMaker(newId: NewId): NewId {
  const maker = newId().slice(-12);
  let made = 0;
  return () => {
    made += 1;
    return `${maker}-${made.toString(36)}`;
  };
}
