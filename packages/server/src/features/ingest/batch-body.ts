// The bytes of a batch, as far as they must be read to know what it costs: the budget is charged
// before anything in them is judged.
import { INGEST_OBJECTS_MAX } from '@keyrail/protocol/limits.ts';
import { invalid } from '../../base/errors.ts';
import { parseText, readText, refuseDeep } from '../../http/input.ts';

/** What cannot be read costs as much as one event, and is refused once that is paid. */
export type BatchBody = { cost: number; value: unknown } | { cost: number; fault: unknown };

const COST_UNREAD = 1;
/** The batch, its `sdk` and its `events`. */
const BRACKETS_AROUND = 3;

export function readBody(bytes: Uint8Array): BatchBody {
  try {
    const brackets = countOpening(bytes);
    const text = readText(bytes);
    const value = parseText(text);
    const events = eventsIn(value);
    // Every bracket is accounted for: nothing else can be nested. Else it is counted how deep.
    if (brackets > (events?.length ?? 0) + BRACKETS_AROUND) refuseDeep(text);
    return { cost: events?.length ?? COST_UNREAD, value };
  } catch (fault) {
    return { cost: COST_UNREAD, fault };
  }
}

/** Counted on the bytes, quotes or not: a million empty objects would take a second to parse. */
function countOpening(bytes: Uint8Array): number {
  let count = 0;
  for (const opening of [0x7b, 0x5b]) {
    for (let at = bytes.indexOf(opening); at !== -1; at = bytes.indexOf(opening, at + 1)) {
      count += 1;
      if (count > INGEST_OBJECTS_MAX) {
        const message = `More than ${INGEST_OBJECTS_MAX} objects and arrays.`;
        throw invalid('body', [{ path: '', message }]);
      }
    }
  }
  return count;
}

export function eventsIn(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null || !('events' in value)) return null;
  return Array.isArray(value.events) ? value.events : null;
}
