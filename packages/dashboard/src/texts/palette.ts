// The texts of the palette, which is loaded when it is opened.
export const palette = {
  label: 'Search or go to',
  placeholder: 'Go to, find, or paste a key',
  results: 'Results',
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  go: (name: string) => `Go to ${name}`,
  switchEnv: (name: string) => `Switch to ${name}`,
  switchWorkspace: (name: string) => `Open workspace ${name}`,
  shortcuts: 'Show keyboard shortcuts',
  createKey: (env: string) => `Create ${env.toLowerCase()} key`,
  start: 'Go to First steps',
};
