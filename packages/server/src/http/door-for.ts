// Opens the door that a route declares, for the reach of the request and within its deadline.
import { takesIdempotencyKey } from '@keyrail/protocol/endpoint.ts';
import { REVOKE_WAIT_MS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { assert, unreachable } from '../base/assert.ts';
import { type Deadline, deadlineAfter, steppedDeadline } from '../base/deadline.ts';
import type { Gate } from '../doors/gate.ts';
import type { KeyedRequest } from '../doors/kept-responses.ts';
import { openPeople } from '../doors/people.ts';
import { openPreview, type PreviewParts } from '../doors/preview.ts';
import type { Reach } from '../doors/reach.ts';
import { openRead } from '../doors/read.ts';
import { openRecord } from '../doors/record.ts';
import {
  type DoorParts,
  expectWrite,
  type Fate,
  openKeyedWrite,
  openWrite,
  type Pace,
} from '../doors/write.ts';
import type { Counters } from '../volatile/counters.ts';
import type { Probe, ServedRoute } from './route.ts';

const REQUEST_WAIT_MS = 3000;
/** Longer than the longest wait for nodes, so that there is time left to respond. */
const STEPPED_WAIT_TOTAL_MS = REVOKE_WAIT_MS_MAX + 30_000;

export type RouteDoorParts = DoorParts &
  PreviewParts & { gate: Gate; probe: Probe; counters: Counters };

type Opened = {
  reach: Reach | null;
  /** The time that authentication took; it is subtracted from the deadline. */
  tookMs: number;
  fate: Fate;
  keyed: KeyedRequest | null;
  isDryRun: boolean;
};

export function doorFor(
  route: ServedRoute,
  parts: RouteDoorParts,
  { reach, tookMs, fate, keyed, isDryRun }: Opened,
): object {
  const { door, line } = route;
  // Only the write door reports what became of a change.
  if (mayWriteUnseen[door]) fate.outcome = 'unknown';
  const within = (): Reach => {
    assert(reach, `${line} opens the door ${door} without a reach`);
    return reach;
  };
  switch (door) {
    case 'read':
      return { read: openRead(parts.db, within(), deadlineOf(route, tookMs)) };
    case 'write': {
      const deadline = deadlineOf(route, tookMs);
      const read = openRead(parts.db, within(), deadline);
      // A dry run gets no door that writes.
      if (isDryRun) return { read, preview: openPreview(parts, within(), deadline) };
      return {
        read,
        write: writeFor(route, parts, { reach: within(), fate, keyed, deadline }),
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
      return { counters: parts.counters, reach: within(), newId: parts.newId };
    case 'probe':
      return { probe: parts.probe };
    case 'none':
      return {};
    default:
      return unreachable(door);
  }
}

const mayWriteUnseen: Record<ServedRoute['door'], boolean> = {
  read: false,
  write: false,
  record: true,
  gate: true,
  volatile: true,
  probe: false,
  none: false,
};

type WriteAsked = Omit<Opened, 'tookMs' | 'isDryRun'> & { reach: Reach; deadline: Deadline };

function writeFor(
  route: ServedRoute,
  parts: RouteDoorParts,
  { reach, fate, keyed, deadline }: WriteAsked,
): object {
  const asked = { ...paceOf(route, deadline), fate };
  const { line, endpoint } = route;
  return takesIdempotencyKey(line, endpoint) || endpoint.dryRun
    ? openKeyedWrite(parts, reach, { ...asked, keyed })
    : openWrite(parts, reach, asked);
}

const paceOf = ({ goesFirst }: ServedRoute, deadline: Deadline): Pace => ({
  deadline,
  goesFirst: goesFirst ?? false,
});

/**
 * Called before the credential is looked up: refuses a change that could not finish in time, before
 * it uses a connection. Call the returned function when the credential is known. Reads and polls
 * are not counted: concurrent ones share their statements.
 */
export const expectWork = (route: ServedRoute, parts: DoorParts): (() => void) =>
  route.door === 'write' ? expectWrite(parts, paceOf(route, deadlineOf(route, 0))) : NOTHING;

const NOTHING = (): void => {};

/** Runs from the arrival of the whole request: time spent receiving the body does not count. */
const deadlineOf = ({ patience }: ServedRoute, waitedMs: number): Deadline =>
  patience === 'stepped'
    ? steppedDeadline(REQUEST_WAIT_MS, STEPPED_WAIT_TOTAL_MS)
    : deadlineAfter(REQUEST_WAIT_MS - waitedMs);
