// The header in which a caller names the workspace it expects its credential to belong to.

export const WORKSPACE_HEADER = 'keyrail-workspace';

const IN_WORKSPACE = /^\w+ \/v1\/(?!(auth|deployment|embed|webhooks|workspaces)\b)/;

/**
 * Whether an endpoint works within the credential's workspace. All other endpoints are for user
 * accounts, embed tokens, webhooks or probes. A test compares this with the credentials that each
 * endpoint accepts.
 */
export const worksInWorkspace = (line: string): boolean => IN_WORKSPACE.test(line);
