// The bytes of a batch, as far as they must be read to know what it costs: the budget is charged
// before anything in them is judged.
import { BODY_BYTES_MAX, INGEST_OBJECTS_MAX, INGEST_VALUES_MAX } from '@keyrail/protocol/limits.ts';
import { type ApiError, invalid } from '../../base/errors.ts';
import { parseText, readText, refuseDeep } from '../../http/input.ts';

/** What cannot be read costs as much as one event, and is refused once that is paid. */
export type BatchBody = { cost: number; value: unknown } | { cost: number; fault: unknown };

const COST_UNREAD = 1;
/** The batch, its `sdk` and its `events`. */
const BRACKETS_AROUND = 3;

export function readBody(bytes: Uint8Array): BatchBody {
  try {
    const { brackets } = refuseUnwieldy(bytes);
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

/**
 * What a body is made of bounds how long it takes to parse, and is counted on the bytes, quotes or
 * not. A small one cannot hold enough commas to matter.
 */
function refuseUnwieldy(bytes: Uint8Array): { brackets: number } {
  const brackets = countOf(bytes, OPENING);
  if (brackets > INGEST_OBJECTS_MAX) throw tooMany(INGEST_OBJECTS_MAX, 'objects and arrays');
  if (bytes.length > BODY_BYTES_MAX && countOf(bytes, COMMA) > INGEST_VALUES_MAX) {
    throw tooMany(INGEST_VALUES_MAX, 'values');
  }
  return { brackets };
}

const OPENING = { units: [0x7b, 0x5b], most: INGEST_OBJECTS_MAX };
const COMMA = { units: [0x2c], most: INGEST_VALUES_MAX };

/** How many there are, or one more than `most` as soon as that is certain. */
function countOf(bytes: Uint8Array, { units, most }: { units: number[]; most: number }): number {
  let count = 0;
  for (const unit of units) {
    for (let at = bytes.indexOf(unit); at !== -1; at = bytes.indexOf(unit, at + 1)) {
      count += 1;
      if (count > most) return count;
    }
  }
  return count;
}

const tooMany = (most: number, what: string): ApiError =>
  invalid('body', [{ path: '', message: `More than ${most} ${what}.` }]);

export function eventsIn(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null || !('events' in value)) return null;
  return Array.isArray(value.events) ? value.events : null;
}
