// Strings for the frames around the screens and for shared UI elements. The other files in this
// folder are loaded later. Each screen's strings are in the `texts.ts` in its folder.
import type { Env } from '@keyrail/protocol/wire/env.ts';

/** Labels for the sidebar's entries, keyed by the names of their screens in `screens.ts`. */
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
  nothingFound: 'No matches.',
  searching: 'Searching…',
  nothing: 'The list is empty.',
  skip: 'Skip to content',
  navigation,
  envs,
  bothEnvs: 'Live and test',
  envSwitch: 'Environment',
  breadcrumb: 'Breadcrumb',
  mainNavigation: 'Workspace',
  openNavigation: 'Open menu',
  search: 'Search or jump to…',
  roles: { owner: 'Owner', admin: 'Admin', member: 'Member' },
  switcher: {
    label: 'Switch workspace',
    search: 'Find a workspace',
    create: 'Create workspace',
    all: 'All workspaces',
  },
  account: {
    label: (email: string) => `Account menu for ${email}`,
    settings: 'Account',
    system: 'System status',
    reference: 'API reference',
    signOut: 'Sign out',
    theme: 'Theme',
    themes: { system: 'System theme', light: 'Light theme', dark: 'Dark theme' },
  },
  password: { show: 'Show password', hide: 'Hide password' },
  copy: {
    copied: 'Copied',
    refused: 'Your browser blocked copying. Select the text and copy it yourself.',
    name: (what: string) => `Copy ${what}`,
  },
  problem: {
    request: 'Request ID',
    copyRequest: 'Copy request ID',
    unreachable: 'Can’t reach the server.',
    notSent: 'Can’t reach the server. Nothing was changed.',
    unknownOutcome:
      'The server didn’t respond, so the change may or may not have gone through. Check before you try again.',
    look: 'Check in a new tab',
    unexpected: 'Something went wrong on this page. Reload it and try again.',
    tooMany: (wait: number) => `Too many requests. Try again in ${seconds(wait)}.`,
    notRead: 'Couldn’t load this.',
  },
  notAllowed: {
    title: 'Your role doesn’t allow this',
    text: 'Ask a workspace owner to change your role.',
    readOnly: 'As a member, you can view everything here but can’t change anything.',
  },
  gone: {
    title: 'Not found',
    text: 'It may have been deleted, or the link is wrong.',
  },
  keyStates: {
    active: 'Active',
    revoked: 'Revoked',
    disabled: 'Disabled',
    expired: 'Expired',
    quarantined: (left: string | null) =>
      left === null ? 'Quarantined' : `Quarantined, expires in ${left}`,
    ending: (until: string) => `Replaced, works until ${until}`,
    expiring: (left: string) => `Expires in ${left}`,
    unused: 'Unused 90 d',
  },
  chart: {
    table: 'Table',
    chart: 'Chart',
    copyCsv: 'Copy CSV',
    time: 'Time',
    none: 'No traffic in this period.',
    hint: 'Use the arrow keys to step through the values.',
  },
  connection: {
    label: 'Connection',
    away: (seen: string) => `Can’t reach the server. Showing data from ${seen}.`,
    next: (wait: number) => `Retrying in ${seconds(wait)}.`,
    trying: 'Retrying now.',
  },
  overtaken: {
    title: (name: string) => `This browser has switched to ${name}`,
    text: (name: string) =>
      `You switched workspaces in another tab. This tab still shows ${name} and is paused, so nothing gets changed in the wrong workspace.`,
    another: 'another workspace',
    go: (name: string) => `Go to ${name}`,
    stay: (name: string) => `Switch back to ${name}`,
  },
  reveal: {
    once: 'Copy it now. It won’t be shown again, not even to you.',
    copy: 'Copy key',
    stored: 'I’ve stored it',
    leave: 'Leave without copying?',
    leaveText:
      'You haven’t copied the key, and it can’t be shown again. To get a new one, you’d have to rotate it.',
    back: 'Back to the key',
    leaveAction: 'Leave without copying',
    snippets: 'Use the key',
  },
  crash: {
    title: 'Something went wrong',
    text: 'Reload to continue. If it happens again, report it and say what you were doing.',
    reload: 'Reload page',
    home: 'Go to the home page',
    last: 'Last request:',
    requestId: 'request ID',
  },
  notFound: {
    title: 'Page not found',
    text: 'There’s nothing at this address. The link may be out of date or mistyped.',
  },
  noWorkspace: {
    title: 'Workspace not found',
    text: 'It doesn’t exist, or you aren’t a member of it.',
    action: 'Choose a workspace',
  },
};
