// The roles of members and secret keys, from the one that may do most.

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];
