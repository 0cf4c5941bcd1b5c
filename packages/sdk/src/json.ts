// Readers for JSON from the network and from disk, and for other values of unknown type. Each
// checks bounds, because JSON such as 1e999 parses to Infinity.

/** Thrown for an invalid value. The message may quote field names, but no received values. */
export class InvalidContent extends Error {
  override readonly name = 'InvalidContent';
}

export type Fields = Readonly<Record<string, unknown>>;
type Range = { min: number; max: number };

const NO_FIELDS: Fields = Object.freeze({});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Returns an object's fields, or no fields if the value is not an object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NO_FIELDS);

/** Returns the number clamped to its range, or null if the value is not a number. */
export function clampedNumber(value: unknown, { min, max }: Range): number | null {
  if (typeof value !== 'number' || Number.isNaN(value)) return null;
  return Math.min(max, Math.max(min, value));
}

// The readers below throw InvalidContent.

export function readRecord(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw new InvalidContent(`${name} is not an object`);
}

export function readList(value: unknown, name: string, most: number): unknown[] {
  if (!Array.isArray(value)) throw new InvalidContent(`${name} is not a list`);
  if (value.length > most) throw new InvalidContent(`${name} has more than ${most} items`);
  return value;
}

export function readStrings(value: unknown, name: string, most: number): string[] {
  const values = readList(value, name, most);
  if (areStrings(values)) return values;
  throw new InvalidContent(`${name} is not a list of strings`);
}

function areStrings(values: unknown[]): values is string[] {
  for (const value of values) if (typeof value !== 'string') return false;
  return true;
}

export function readText(value: unknown, name: string, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new InvalidContent(`invalid ${name}`);
}

export function readBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new InvalidContent(`${name} is missing`);
}

/** Reads a whole number from 0 to `most`. */
export function readInteger(value: unknown, name: string, most = Number.MAX_SAFE_INTEGER): number {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  if (isWhole && value >= 0 && value <= most) return value;
  throw new InvalidContent(`${name} is not a whole number in the allowed range`);
}
