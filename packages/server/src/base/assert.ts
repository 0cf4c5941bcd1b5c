// For what cannot happen. It ends the request, not the process.

export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`impossible: ${why}`);
}

/** The end of a switch over a closed union: a forgotten member does not compile. */
export function unreachable(value: never): never {
  throw new Error(`impossible: unexpected ${JSON.stringify(value)}`);
}
