// The header with which a caller states the workspace that it expects to work in.

export const WORKSPACE_HEADER = 'keyrail-workspace';

const IN_WORKSPACE = /^\w+ \/v1\/(?!(auth|deployment|embed|webhooks|workspaces)\b)/;

/**
 * Whether an endpoint works in the workspace of a credential; the others serve people, embed tokens
 * and probes. A test compares this with the credentials of every endpoint.
 */
export const worksInWorkspace = (line: string): boolean => IN_WORKSPACE.test(line);
