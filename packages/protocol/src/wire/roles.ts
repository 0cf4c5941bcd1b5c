// The roles of members and secret keys, most powerful first.

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];
