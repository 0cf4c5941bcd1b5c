// What an entry is about. In a separate file from the actions, which the overview loads too.
export const targetTypes: Readonly<Record<string, string>> = {
  workspace: 'Workspace',
  workspace_member: 'Member',
  workspace_invite: 'Invitation',
  project: 'Project',
  tenant: 'Tenant',
  api_key: 'Key',
  secret_key: 'Secret key',
  webhook_endpoint: 'Webhook endpoint',
};
