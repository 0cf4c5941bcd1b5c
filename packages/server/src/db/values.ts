// Converts the values of a statement to PostgreSQL's text format.

export function wireValue(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bufferOf(value);
  if (Array.isArray(value)) return arrayLiteral(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** The driver sends only a Buffer as bytes, not other typed arrays. */
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
