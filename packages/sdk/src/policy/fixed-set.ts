// Scopes as handlers are given them. One set serves all keys that have the same ones, so a handler
// that adds to it would give every one of them what its own key was to get.

const refuse = () => {
  throw new TypeError('The scopes of a key cannot be changed here.');
};
const fixed = { value: refuse };

/** A set that stays as it is: a type alone would not stop those who write without types. */
export const fixedSet = (values: Iterable<string>): ReadonlySet<string> =>
  Object.defineProperties(new Set(values), { add: fixed, delete: fixed, clear: fixed });
