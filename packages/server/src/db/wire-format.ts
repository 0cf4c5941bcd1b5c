// How statements and rows are sent: the names of prepared statements, values in PostgreSQL's text
// format, and field names.
import { createHash } from 'node:crypto';

const preparedNames = new Map<string, string>();

/**
 * Every statement is prepared under a name derived from its text. The map stays small, because
 * statement texts do not contain values.
 */
export function preparedName(text: string): string {
  let name = preparedNames.get(text);
  if (name === undefined) {
    name = `kr_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    preparedNames.set(text, name);
  }
  return name;
}

const camelNames = new Map<string, string>();

/** Converts a snake_case column name to a camelCase field name. */
export function camelName(column: string): string {
  let name = camelNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelNames.set(column, name);
  }
  return name;
}

/** Converts a statement's value to PostgreSQL's text format. */
export function wireValue(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bufferOf(value);
  if (Array.isArray(value)) return arrayLiteral(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** The driver sends only Buffers as bytes, not other typed arrays. */
const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function arrayLiteral(items: readonly unknown[]): string {
  const elements = items.map((item) => {
    if (typeof item === 'number') return String(item);
    const wire = wireValue(item);
    if (wire === null) return 'NULL';
    if (Buffer.isBuffer(wire)) return `"\\\\x${wire.toString('hex')}"`;
    return `"${wire.replace(/[\\"]/g, '\\$&')}"`;
  });
  return `{${elements.join(',')}}`;
}
