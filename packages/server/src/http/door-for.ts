// What a route is handed to work with: the door that it names, open for the reach of the request
// and for as long as the request may take.
import { assert, unreachable } from '../base/assert.ts';
import {
  type Deadline,
  deadlineAfter,
  REVOKE_WAIT_MS_MAX,
  steppedDeadline,
} from '../base/deadline.ts';
import type { Gate } from '../doors/gate.ts';
import { openPeople } from '../doors/people.ts';
import type { Reach } from '../doors/reach.ts';
import { openRead } from '../doors/read.ts';
import { openRecord } from '../doors/record.ts';
import { type DoorParts, expectWrite, openWrite, type Pace } from '../doors/write.ts';
import type { Counters } from '../volatile/counters.ts';
import type { Probe, ServedRoute } from './route.ts';

const REQUEST_WAIT_MS = 3000;
/** Beyond the longest wait for nodes: when that is over, there is time left to say so. */
const STEPPED_WAIT_TOTAL_MS = REVOKE_WAIT_MS_MAX + 30_000;

export type RouteDoorParts = DoorParts & { gate: Gate; probe: Probe; counters: Counters };

/** `tookMs` is what authenticating took of the time that there is. */
export function doorFor(
  route: ServedRoute,
  parts: RouteDoorParts,
  { reach, tookMs }: { reach: Reach | null; tookMs: number },
): object {
  const { door, line } = route;
  const within = (): Reach => {
    assert(reach, `${line} opens the door ${door} without a reach`);
    return reach;
  };
  switch (door) {
    case 'read':
      return { read: openRead(parts.db, within(), deadlineOf(route, tookMs)) };
    case 'write': {
      const deadline = deadlineOf(route, tookMs);
      return {
        read: openRead(parts.db, within(), deadline),
        write: openWrite(parts, within(), paceOf(route, deadline)),
      };
    }
    case 'record':
      return { record: openRecord(parts, within(), deadlineOf(route, tookMs)) };
    case 'gate': {
      const deadline = deadlineOf(route, tookMs);
      return {
        gate: parts.gate,
        people: openPeople(parts, deadline),
        newId: parts.newId,
        writeIn: (made: Reach) => openWrite(parts, made, paceOf(route, deadline)),
      };
    }
    case 'volatile':
      return { counters: parts.counters, reach: within() };
    case 'probe':
      return { probe: parts.probe };
    case 'none':
      return {};
    default:
      return unreachable(door);
  }
}

const paceOf = ({ goesFirst }: ServedRoute, deadline: Deadline): Pace => ({
  deadline,
  goesFirst: goesFirst ?? false,
});

/**
 * Before its credential is looked up: a change that could not be finished is refused here, and
 * costs no connection. The function says that the credential is known. Reads and polls are not
 * counted by requests: those that come together share their statements.
 */
export const expectWork = (route: ServedRoute, parts: DoorParts): (() => void) =>
  route.door === 'write' ? expectWrite(parts, paceOf(route, deadlineOf(route, 0))) : NOTHING;

const NOTHING = (): void => {};

/** Counted on from when the request is whole: the time that its body took was the sender's. */
const deadlineOf = ({ patience }: ServedRoute, waitedMs: number): Deadline =>
  patience === 'stepped'
    ? steppedDeadline(REQUEST_WAIT_MS, STEPPED_WAIT_TOTAL_MS)
    : deadlineAfter(REQUEST_WAIT_MS - waitedMs);
