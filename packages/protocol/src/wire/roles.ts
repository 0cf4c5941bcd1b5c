// The roles of members and secret keys, most powerful first.

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

/**
 * Returns the lowest role whose session or secret key may call an endpoint. Members may only read.
 */
export const leastRole = (isSafe: boolean, raisedTo?: 'owner'): Role =>
  raisedTo ?? (isSafe ? 'member' : 'admin');

export const mayChange = (role: Role): boolean => role !== 'member';
