// What free-form JSON may hold. Checked by hand because zod's record silently drops a `__proto__`
// key, and because a value that cannot be stored or answered must be refused by name.
import { JSON_DEPTH_MAX } from './limits.ts';
import { flawOf } from './text.ts';

export type JsonFlaw = { path: (string | number)[]; message: string };

/** True for what JSON calls an object: not null, not an array. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first thing in `value` that is not clean JSON, or null. `depth` counts the value itself. */
export function findJsonFlaw(value: unknown, depth = 1): JsonFlaw | null {
  if (typeof value === 'string') return at([], flawOf(value));
  if (typeof value === 'number') return at([], Number.isFinite(value) ? null : 'is not a number');
  if (typeof value === 'boolean' || value === null) return null;
  if (typeof value !== 'object') return at([], 'is not JSON');
  if (depth > JSON_DEPTH_MAX) return at([], `is nested deeper than ${JSON_DEPTH_MAX} levels`);

  for (const [key, inner] of entriesOf(value)) {
    const flaw = (typeof key === 'string' && keyFlaw(key)) || findJsonFlaw(inner, depth + 1);
    if (flaw) return { path: [key, ...flaw.path], message: flaw.message };
  }
  return null;
}

function keyFlaw(key: string): JsonFlaw | null {
  return at([], key === '__proto__' ? 'is not an allowed key' : flawOf(key));
}

const entriesOf = (value: object): Iterable<[string | number, unknown]> =>
  Array.isArray(value) ? value.entries() : Object.entries(value);

const at = (path: JsonFlaw['path'], message: string | null): JsonFlaw | null =>
  message === null ? null : { path, message };
