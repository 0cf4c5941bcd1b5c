import type { Theme } from '../../theme.ts';

const themes: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

export const texts = {
  title: 'Account',
  lead: 'These settings apply in every workspace.',
  failed: 'Couldn’t load your account.',
  profile: {
    title: 'Profile',
    lead: 'Other members can see your name and email address.',
    name: 'Name',
    email: 'Email address',
    verified: 'Verified',
    unverified: 'Not verified',
    action: 'Save name',
    saved: 'Name saved.',
  },
  password: {
    title: 'Password',
    lead: 'Changing your password signs you out everywhere else.',
    current: 'Current password',
    next: 'New password',
    minimum: (count: number) => `At least ${count} characters.`,
    wrong: 'That isn’t your current password.',
    action: 'Change password',
    changed: 'Password changed. You’ve been signed out everywhere else.',
  },
  sessions: {
    title: 'Sessions',
    lead: 'Where you’re signed in. Device names are reported by the browser and can be faked.',
    list: 'Sessions',
    failed: 'Couldn’t load your sessions.',
    this: 'This session',
    unknown: 'Unknown device',
    on: (browser: string, system: string) => `${browser} on ${system}`,
    signedIn: 'Signed in',
    seen: 'last seen',
    end: 'Sign out',
    endOf: (name: string) => `Sign out ${name}`,
    endOthers: 'Sign out everywhere else',
    confirmTitle: 'Sign out everywhere else?',
    confirm: (count: number) =>
      count === 1
        ? 'This signs out 1 other session immediately.'
        : `This signs out ${count} other sessions immediately.`,
    ended: 'Session signed out.',
    othersEnded: 'Signed out everywhere else.',
    more: (count: number) => `Only the ${count} most recent sessions are shown.`,
  },
  theme: {
    title: 'Theme',
    lead: 'Saved in this browser.',
    label: 'Theme',
    themes,
  },
  keyboard: {
    title: 'Keyboard',
    lead: 'You can use every page without a mouse.',
    show: 'Show keyboard shortcuts',
  },
};
