// Opens the door (the database access) that a route declares, for the request's reach and within
// its deadline.
import { acceptsRequestKey } from '@keyrail/protocol/endpoint.ts';
import { REVOKE_WAIT_MS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { assert, unreachable } from '../base/assert.ts';
import { type Deadline, deadlineAfter, steppedDeadline } from '../base/deadline.ts';
import type { Gate } from '../doors/gate.ts';
import { openPeople } from '../doors/people.ts';
import { openPreview, type PreviewParts } from '../doors/preview.ts';
import type { Reach } from '../doors/reach.ts';
import { openRead } from '../doors/read.ts';
import { openRecord } from '../doors/record.ts';
import type { RequestKey } from '../doors/request-keys.ts';
import {
  type DoorParts,
  expectWrite,
  type Fate,
  openKeyedWrite,
  openWrite,
  type Pace,
  unkeyed,
} from '../doors/write.ts';
import type { Counters } from '../volatile/counters.ts';
import type { Probe, ServedRoute } from './route.ts';

const REQUEST_WAIT_MS = 3000;
/** The longest wait for nodes, plus time to respond. */
const STEPPED_WAIT_TOTAL_MS = REVOKE_WAIT_MS_MAX + 30_000;

export type RouteDoorParts = DoorParts &
  PreviewParts & { gate: Gate; probe: Probe; counters: Counters };

type Asked = {
  reach: Reach | null;
  /** How long authentication took. This is subtracted from the deadline. */
  tookMs: number;
  requestKey: RequestKey | null;
  isDryRun: boolean;
};

/** The door that a route receives, and the outcome of the change made through it, if any. */
type Opened = { door: object; fate(): Fate };

export function doorFor(
  route: ServedRoute,
  parts: RouteDoorParts,
  { reach, tookMs, requestKey, isDryRun }: Asked,
): Opened {
  const { door, line } = route;
  const within = (): Reach => {
    assert(reach, `${line} opens the door ${door} without a reach`);
    return reach;
  };
  switch (door) {
    case 'read':
      return reading({ read: openRead(parts.db, within(), deadlineOf(route, tookMs)) });
    case 'write': {
      const deadline = deadlineOf(route, tookMs);
      const read = openRead(parts.db, within(), deadline);
      // A dry run never gets a door that can write.
      if (isDryRun) return reading({ read, preview: openPreview(parts, within(), deadline) });
      const opened = openKeyedWrite(parts, within(), { ...paceOf(route, deadline), requestKey });
      const write = isPresented(route) ? opened.write : unkeyed(opened);
      return { door: { read, write }, fate: opened.fate };
    }
    case 'record':
      return writing({ record: openRecord(parts, within(), deadlineOf(route, tookMs)) });
    case 'gate': {
      const deadline = deadlineOf(route, tookMs);
      return writing({
        gate: parts.gate,
        people: openPeople(parts, deadline),
        newId: parts.newId,
        writeIn: (made: Reach) => openWrite(parts, made, paceOf(route, deadline)),
      });
    }
    case 'volatile':
      return writing({ counters: parts.counters, reach: within(), newId: parts.newId });
    case 'probe':
      return reading({ probe: parts.probe });
    case 'none':
      return reading({});
    default:
      return unreachable(door);
  }
}

const notDone = (): Fate => 'not_done';
const done = (): Fate => 'done';

const reading = (door: object): Opened => ({ door, fate: notDone });

/**
 * These doors don't report the outcome of a change, so it is always assumed that the change may
 * have been made.
 */
const writing = (door: object): Opened => ({ door, fate: done });

/** Whether the route builds its response inside the transaction. */
const isPresented = ({ line, endpoint }: ServedRoute): boolean =>
  acceptsRequestKey(line, endpoint) || endpoint.dryRun === true;

const paceOf = ({ goesFirst }: ServedRoute, deadline: Deadline): Pace => ({
  deadline,
  goesFirst: goesFirst ?? false,
});

/**
 * Call this before looking up the credential. If a change couldn't finish in time, it is rejected
 * without using a database connection. Call the returned function once the credential has been
 * looked up. Reads and polls are not counted, because concurrent reads and polls share statements.
 */
export const expectWork = (route: ServedRoute, parts: DoorParts): (() => void) =>
  route.door === 'write' ? expectWrite(parts, paceOf(route, deadlineOf(route, 0))) : NOTHING;

const NOTHING = (): void => {};

/**
 * The deadline starts when the whole request has arrived; time spent receiving the body does not
 * count.
 */
const deadlineOf = ({ patience }: ServedRoute, waitedMs: number): Deadline =>
  patience === 'stepped'
    ? steppedDeadline(REQUEST_WAIT_MS, STEPPED_WAIT_TOTAL_MS)
    : deadlineAfter(REQUEST_WAIT_MS - waitedMs);
