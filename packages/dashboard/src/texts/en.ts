// The texts of the shell and the elements, but for those in `later.ts`. Screens have their own in
// `texts.ts` beside them.
import type { Env } from '@keyrail/protocol/wire/env.ts';

/** The screens with an entry in the sidebar, by their names in `screens.ts`. */
const navigation = {
  overview: 'Overview',
  keys: 'Keys',
  tenants: 'Tenants',
  projects: 'Projects',
  nodes: 'Nodes',
  usage: 'Usage',
  explain: 'Explain',
  secretKeys: 'Secret keys',
  embed: 'Embed',
  webhooks: 'Webhooks',
  members: 'Members',
  audit: 'Audit log',
  settings: 'Settings',
};

const envs: Readonly<Record<Env, string>> = { live: 'Live', test: 'Test' };

const seconds = (count: number): string => (count === 1 ? '1 second' : `${count} seconds`);

export const en = {
  product: 'Keyrail',
  loading: 'Loading',
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  tryAgain: 'Try again',
  showMore: 'Show more',
  nothingFound: 'Nothing matches.',
  searching: 'Searching…',
  nothing: 'There is nothing to list.',
  skip: 'Skip to content',
  navigation,
  envs,
  bothEnvs: 'Live and test',
  envSwitch: 'Environment',
  breadcrumb: 'Breadcrumb',
  mainNavigation: 'Workspace',
  openNavigation: 'Open navigation',
  search: 'Search or go to',
  roles: { owner: 'Owner', admin: 'Admin', member: 'Member' },
  switcher: {
    label: 'Switch workspace',
    search: 'Find a workspace',
    found: 'Found a workspace',
    all: 'All workspaces',
  },
  account: {
    label: (email: string) => `Account ${email}`,
    settings: 'Account',
    system: 'System',
    reference: 'API reference',
    signOut: 'Sign out',
    theme: 'Theme',
    themes: { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' },
  },
  password: { show: 'Show password', hide: 'Hide password' },
  copy: {
    copied: 'Copied',
    refused: 'Not copied: the browser forbids it. Select the text and copy it.',
    name: (what: string) => `Copy ${what}`,
  },
  problem: {
    request: 'Request',
    copyRequest: 'Copy request id',
    unreachable: 'The server does not answer.',
    notSent: 'The server does not answer. Nothing was changed.',
    unknownOutcome:
      'No answer arrived. Whether the change was made is unknown: look before you repeat it.',
    look: 'Look in a new tab',
    unexpected: 'The page met an error of its own. Reload it and try again.',
    tooMany: (wait: number) => `Too many requests. Try again in ${seconds(wait)}.`,
    notRead: 'This could not be read.',
  },
  notAllowed: {
    title: 'Your role does not allow this.',
    text: 'Ask an owner of the workspace for another role.',
    readOnly: 'Your role is member: you can look at everything here, and change nothing.',
  },
  gone: {
    title: 'Not here',
    text: 'It was deleted, or the address is wrong.',
  },
  keyStates: {
    active: 'Active',
    revoked: 'Revoked',
    disabled: 'Disabled',
    expired: 'Expired',
    quarantined: (left: string | null) =>
      left === null ? 'Quarantined' : `Quarantined, ends in ${left}`,
    ending: (until: string) => `Old, until ${until}`,
    expiring: (left: string) => `Ends in ${left}`,
    unused: 'unused 90 d',
  },
  chart: {
    table: 'Table',
    chart: 'Chart',
    copyCsv: 'Copy CSV',
    time: 'Time',
    none: 'No traffic in this range.',
    hint: 'Arrow keys move from value to value.',
  },
  connection: {
    label: 'Connection',
    away: (seen: string) => `The server does not answer. What you see is as of ${seen}.`,
    next: (wait: number) => `Next try in ${seconds(wait)}.`,
    trying: 'Trying now.',
  },
  ended: {
    title: 'Your session has ended',
    text: (email: string) =>
      `Sign in as ${email} to go on where you were. Nothing on this page is lost.`,
    other: 'Sign in as another person',
    action: 'Sign in',
    password: 'Password',
  },
  overtaken: {
    title: (name: string) => `This browser now works in ${name}`,
    text: (name: string) =>
      `Another tab switched the workspace. This tab shows ${name} and stopped, so that nothing changes in the wrong place.`,
    another: 'another workspace',
    go: (name: string) => `Go to ${name}`,
    stay: (name: string) => `Work in ${name} again`,
  },
  reveal: {
    once: 'It is shown this once. Nobody can read it again, not even you.',
    copy: 'Copy key',
    stored: 'I have stored it',
    leave: 'Leave without copying?',
    leaveText: 'The key was not copied. After this it cannot be shown again; you would rotate it.',
    back: 'Show it again',
    leaveAction: 'Leave it',
    snippets: 'Use the key',
  },
  palette: {
    label: 'Search or go to',
    placeholder: 'Go to, find, or paste a key',
    results: 'Results',
    found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
    go: (name: string) => `Go to ${name}`,
    switchEnv: (name: string) => `Switch to ${name}`,
    switchWorkspace: (name: string) => `Open workspace ${name}`,
    shortcuts: 'Show keyboard shortcuts',
    explain: 'Explain the pasted key',
    createKey: (env: string) => `Create ${env.toLowerCase()} key`,
    start: 'Go to First steps',
  },
  crash: {
    title: 'This page stopped working',
    text: 'The address is kept. Reload it; if it stops again, report what you did.',
    reload: 'Reload',
    home: 'Go to the start',
    last: 'Last request:',
    requestId: 'request id',
  },
  notFound: {
    title: 'No such page',
    text: 'The address leads nowhere. It may be old, or mistyped.',
  },
  noWorkspace: {
    title: 'No such workspace',
    text: 'You are no member of it, or it does not exist.',
    action: 'Choose a workspace',
  },
};
