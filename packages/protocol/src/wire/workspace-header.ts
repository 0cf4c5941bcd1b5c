// The header in which a caller names the workspace that it expects to work in.

export const WORKSPACE_HEADER = 'keyrail-workspace';
