// Checks invariants. A failed assertion fails the request, not the process.

export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`bug: ${why}`);
}

/**
 * For the default case of a switch over a closed union: if a case is missing, the switch does not
 * compile.
 */
export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`);
}
