/**
 * Names that the command line and the examples read. A shell that starts a server often has them,
 * so the server ignores them with a warning; any other unknown name is refused.
 */
export const clientNames: readonly string[] = [
  'KEYRAIL_URL',
  'KEYRAIL_TOKEN',
  'KEYRAIL_PROFILE',
  'KEYRAIL_SECRET_KEY',
  'KEYRAIL_PROJECT_ID',
  'KEYRAIL_TENANT_ID',
  'KEYRAIL_WEBHOOK_SECRET',
];
