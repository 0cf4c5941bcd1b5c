// Checks invariants. A failed assertion ends the request, not the process.

export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`bug: ${why}`);
}

/** Ends a switch over a closed union, so that a missing case does not compile. */
export function unreachable(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`);
}
