// Parses a batch's body to determine its cost, because the budget is charged before the batch is
// validated.
import {
  BODY_BYTES_MAX,
  INGEST_OBJECTS_MAX,
  INGEST_VALUES_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { type ApiError, invalid } from '../../base/errors.ts';
import { parseText, readText, refuseDeep } from '../../http/input.ts';

/**
 * A parsed body, or the error if the body can't be parsed. Such a body costs as much as one event,
 * and is charged before it is rejected.
 */
type BatchBody = { cost: number; value: unknown } | { cost: number; fault: unknown };

/** The cost of an empty batch, because even its receipt has to be stored. */
const COST_MIN = 1;
/** The brackets outside the events: one each for the batch, `sdk` and `events`. */
const BRACKETS_AROUND = 3;

export function readBody(bytes: Uint8Array): BatchBody {
  try {
    const { brackets } = refuseUnwieldy(bytes);
    const text = readText(bytes);
    // A missing body is treated as `{}`, as on other endpoints, so that the error lists the missing
    // fields.
    const value = text === '' ? {} : parseText(text);
    const events = eventsIn(value);
    // A batch of flat events has at most this many brackets. The depth is measured only if there
    // are more.
    if (brackets > (events?.length ?? 0) + BRACKETS_AROUND) refuseDeep(text);
    return { cost: Math.max(COST_MIN, events?.length ?? 0), value };
  } catch (fault) {
    return { cost: COST_MIN, fault };
  }
}

/**
 * Limits the number of brackets and commas in a body, and so how long the body takes to parse. The
 * first, quick count includes those inside strings. Only if it exceeds a limit, a second count
 * leaves those out. A small body can't contain enough commas to matter.
 */
function refuseUnwieldy(bytes: Uint8Array): { brackets: number } {
  const seen = {
    brackets: countOf(bytes, OPENING),
    commas: bytes.length > BODY_BYTES_MAX ? countOf(bytes, COMMA) : 0,
  };
  const isWithin = seen.brackets <= INGEST_OBJECTS_MAX && seen.commas <= INGEST_VALUES_MAX;
  const { brackets, commas } = isWithin ? seen : outsideTexts(bytes);
  if (brackets > INGEST_OBJECTS_MAX) throw tooMany(INGEST_OBJECTS_MAX, 'objects and arrays');
  if (bytes.length > BODY_BYTES_MAX && commas > INGEST_VALUES_MAX) {
    throw tooMany(INGEST_VALUES_MAX, 'values');
  }
  return { brackets };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA_UNIT = 0x2c;
const OPENING = { units: [0x7b, 0x5b], most: INGEST_OBJECTS_MAX };
const COMMA = { units: [COMMA_UNIT], most: INGEST_VALUES_MAX };

/** Counts the bytes with these values, but stops at `most` + 1. */
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

function outsideTexts(bytes: Uint8Array): { brackets: number; commas: number } {
  const counts = { brackets: 0, commas: 0 };
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const unit = bytes[at];
    if (unit === QUOTE) inText = !inText;
    else if (inText) at += unit === BACKSLASH ? 1 : 0;
    else if (unit === COMMA_UNIT) counts.commas += 1;
    else if (unit === 0x7b || unit === 0x5b) counts.brackets += 1;
  }
  return counts;
}

const tooMany = (most: number, what: string): ApiError =>
  invalid('body', [{ path: '', message: `More than ${most} ${what}.` }]);

export function eventsIn(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null || !('events' in value)) return null;
  return Array.isArray(value.events) ? value.events : null;
}
