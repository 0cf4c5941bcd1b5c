// Time-ordered UUIDs (version 7): 48 bits of milliseconds, then random bits. New rows go at the end
// of their index, and sorting by (created_at, id) yields the creation order.
import type { Clock } from './clock.ts';
import type { RandomBytes } from './random.ts';

export type NewId = () => string;

/**
 * IDs from one generator ascend even within one millisecond: the twelve bits after the version are
 * a counter with a random start. When the counter overflows, the generator starts the next
 * millisecond early.
 */
export function createIdMaker(clock: Clock, randomBytes: RandomBytes): NewId {
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

/** Request IDs need to be unique but are not stored. A counter keeps the cost per request low. */
export function createRequestIdMaker(newId: NewId): NewId {
  const maker = newId().slice(-12);
  let made = 0;
  return () => {
    made += 1;
    return `${maker}-${made.toString(36)}`;
  };
}
