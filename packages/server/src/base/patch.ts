// What a PATCH really changes. A field that is left out stays as it is; null is a value like any
// other, and so is an empty array.
import { isDeepStrictEqual } from 'node:util';

export type Patch<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined };

export type Effect<Fields> = {
  values: Partial<Fields>;
  /** The changed fields as the wire calls them, for the log, which never says to what. */
  names: string[];
};

/** Without names there is nothing to write: what was sent is what is there. */
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

/** JSON loses what it cannot say, such as the sign of a zero. */
const asStored = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Date)
    ? JSON.parse(JSON.stringify(value))
    : value;

const wireName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
