// Length of all scopes: the only part of a feed entry whose size callers control.

export const scopeChars = (keys: readonly { scopes: readonly string[] }[]): number =>
  keys.reduce((sum, { scopes }) => sum + scopes.reduce((all, { length }) => all + length, 0), 0);
