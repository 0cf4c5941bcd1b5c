// What an entry is about. Apart from the actions, which the overview loads as well.
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
