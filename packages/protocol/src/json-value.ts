// Validates free-form JSON. Written by hand because zod's record silently drops a `__proto__` key,
// and because the error must contain the path of the value that cannot be stored.

import { flawOf } from './text.ts';
import { JSON_DEPTH_MAX } from './wire/limits.ts';

type JsonFlaw = { path: (string | number)[]; message: string };

/** Whether the value is a JSON object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the first problem in `value`, or null. `depth` is the nesting depth of `value`, starting
 * at 1.
 */
export function findJsonFlaw(value: unknown, depth = 1): JsonFlaw | null {
  if (typeof value === 'string') return at([], flawOf(value));
  if (typeof value === 'number') return at([], Number.isFinite(value) ? null : 'is not a number');
  if (typeof value === 'boolean' || value === null) return null;
  if (typeof value !== 'object') return at([], 'is not JSON');
  if (depth > JSON_DEPTH_MAX) return at([], `is nested deeper than ${JSON_DEPTH_MAX} levels`);

  return Array.isArray(value) ? findItemFlaw(value, depth) : findMemberFlaw(value, depth);
}

// Uses plain loops for speed, because 1 MiB can contain half a million values, and the check blocks
// the event loop.
function findItemFlaw(items: readonly unknown[], depth: number): JsonFlaw | null {
  for (let index = 0; index < items.length; index += 1) {
    const flaw = findJsonFlaw(items[index], depth + 1);
    if (flaw) return { path: [index, ...flaw.path], message: flaw.message };
  }
  return null;
}

function findMemberFlaw(members: object, depth: number): JsonFlaw | null {
  for (const key of Object.keys(members)) {
    const flaw = keyFlaw(key) ?? findJsonFlaw(Reflect.get(members, key), depth + 1);
    if (flaw) return { path: [key, ...flaw.path], message: flaw.message };
  }
  return null;
}

function keyFlaw(key: string): JsonFlaw | null {
  return at([], key === '__proto__' ? 'is not an allowed key' : flawOf(key));
}

const at = (path: JsonFlaw['path'], message: string | null): JsonFlaw | null =>
  message === null ? null : { path, message };
