// The bytes of a batch, as far as they must be read to know what it costs: the budget is charged
// before anything in them is judged.
import { INGEST_VALUES_MAX } from '@keyrail/protocol/limits.ts';
import { readJson } from '../../http/input.ts';

/** What cannot be read costs as much as one event, and is refused once that is paid. */
export type BatchBody = { cost: number; value: unknown } | { cost: number; fault: unknown };

const COST_UNREAD = 1;

export function readBody(bytes: Uint8Array): BatchBody {
  try {
    const value = readJson(bytes, INGEST_VALUES_MAX);
    return { cost: eventsIn(value)?.length ?? COST_UNREAD, value };
  } catch (fault) {
    return { cost: COST_UNREAD, fault };
  }
}

export function eventsIn(value: unknown): unknown[] | null {
  if (typeof value !== 'object' || value === null || !('events' in value)) return null;
  return Array.isArray(value.events) ? value.events : null;
}
