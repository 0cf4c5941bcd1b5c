// The two environments of a workspace.

export const envs = ['live', 'test'] as const;

export type Env = (typeof envs)[number];
