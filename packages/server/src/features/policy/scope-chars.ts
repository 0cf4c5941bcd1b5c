// What callers wrote of keys: the one part of them in the feed that may be large.

export const scopeChars = (keys: readonly { scopes: readonly string[] }[]): number =>
  keys.reduce((sum, { scopes }) => sum + scopes.reduce((all, { length }) => all + length, 0), 0);
