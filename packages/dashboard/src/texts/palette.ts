// Strings for the command palette. They are only loaded when it is opened.
export const palette = {
  label: 'Search or jump to…',
  placeholder: 'Search, or paste a key',
  results: 'Results',
  types: {
    api_key: 'Key',
    tenant: 'Tenant',
    project: 'Project',
    secret_key: 'Secret key',
    member: 'Member',
    node: 'Node',
  },
  searching: 'Searching…',
  failed: 'Couldn’t search this workspace. Edit the text to try again.',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  go: (name: string) => `Go to ${name}`,
  switchEnv: (name: string) => `Switch to ${name}`,
  switchWorkspace: (name: string) => `Open workspace ${name}`,
  explain: 'Explain this key',
  shortcuts: 'Show keyboard shortcuts',
  createKey: (env: string) => `Create ${env.toLowerCase()} key`,
  start: 'Open the Get started guide',
};
