// Computes the fields that a PATCH changes. An omitted field keeps its value; null and an empty
// array are values.
import { isDeepStrictEqual } from 'node:util';

export type Patch<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined };

type Effect<Fields> = {
  values: Partial<Fields>;
  /** Wire names of the changed fields, for the audit log, which never contains the values. */
  names: string[];
};

/** An effect without names needs no write: the patch equals the stored fields. */
export function effectOf<Fields extends object>(
  current: Fields,
  patch: Patch<Fields>,
): Effect<Fields> {
  const values: Partial<Fields> = {};
  const names: string[] = [];
  for (const field in patch) {
    const value = patch[field];
    if (value === undefined || isDeepStrictEqual(asStored(value), current[field])) continue;
    values[field] = value;
    names.push(wireName(field));
  }
  return { values, names };
}

/** A round trip through JSON drops what JSON cannot store, such as the sign of a zero. */
const asStored = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Date)
    ? JSON.parse(JSON.stringify(value))
    : value;

const wireName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
