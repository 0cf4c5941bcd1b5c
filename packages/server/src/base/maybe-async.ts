// Chains steps that may or may not be asynchronous. A promise is created only when a step returns
// one; otherwise each request to the busiest endpoints would create a dozen needless promises.

/** Calls `next` immediately with a value, or once a promise has resolved. */
export function chain<T, U>(value: T | Promise<T>, next: (value: T) => U): U | Promise<Awaited<U>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<U>>) : next(value);
}

/** Like `chain`, for work that may fail: calls either `next` or `failed`, exactly once. */
export function attempt<T, U>(
  work: () => T | Promise<T>,
  next: (value: T) => U,
  failed: (thrown: unknown) => U,
): U | Promise<U> {
  let value: T | Promise<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(next, failed) : next(value);
}

/** Runs `after` when the work is done, whether it succeeds or fails. */
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
