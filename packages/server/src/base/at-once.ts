// Going on at once where nothing has to be awaited. A promise costs little, but the busiest lines
// would make a dozen of them for nothing.

/** What follows a value that may still be to come. */
export function goOn<T, U>(value: T | Promise<T>, next: (value: T) => U): U | Promise<Awaited<U>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<U>>) : next(value);
}

/** Ends such a chain: exactly one of the two is called, with the value or with what was thrown. */
export function settle<T>(
  work: () => T | Promise<T>,
  done: (value: T) => void,
  failed: (thrown: unknown) => void,
): void {
  let value: T | Promise<T>;
  try {
    value = work();
  } catch (error) {
    failed(error);
    return;
  }
  if (value instanceof Promise) value.then(done, failed);
  else done(value);
}

/** Runs `after` when the work is done, however it ends. */
export function always<T>(work: () => T | Promise<T>, after: () => void): T | Promise<T> {
  let value: T | Promise<T>;
  try {
    value = work();
  } catch (error) {
    after();
    throw error;
  }
  if (value instanceof Promise) return value.finally(after);
  after();
  return value;
}
