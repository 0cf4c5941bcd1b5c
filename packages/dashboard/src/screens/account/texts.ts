import type { Theme } from '../../theme.ts';

const themes: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

export const texts = {
  title: 'Account',
  lead: 'Yours in every workspace.',
  failed: 'Your account could not be read.',
  profile: {
    title: 'Profile',
    lead: 'Other members see your name and your address.',
    name: 'Name',
    email: 'E-mail address',
    verified: 'Verified',
    unverified: 'Not verified',
    action: 'Save name',
    saved: 'Your name is saved.',
  },
  password: {
    title: 'Password',
    lead: 'Changing it ends every other session of yours, on all devices.',
    current: 'Current password',
    next: 'New password',
    minimum: (count: number) => `At least ${count} characters.`,
    wrong: 'This is not your current password.',
    action: 'Change password',
    changed: 'Your password is changed. Your other sessions have ended.',
  },
  sessions: {
    title: 'Sessions',
    lead: 'Where you are signed in. The names come from the browsers and prove nothing.',
    list: 'Sessions',
    failed: 'Your sessions could not be read.',
    this: 'This session',
    unknown: 'Unknown program',
    on: (browser: string, system: string) => `${browser} on ${system}`,
    signedIn: 'Signed in',
    seen: 'last seen',
    end: 'End session',
    endOf: (name: string) => `End session: ${name}`,
    endOthers: 'End all other sessions',
    confirmTitle: 'End all other sessions?',
    confirm: (count: number) =>
      count === 1
        ? 'One other session ends at once, and its browser must sign in again.'
        : `${count} other sessions end at once, and their browsers must sign in again.`,
    ended: 'Session ended.',
    othersEnded: 'All other sessions ended.',
    more: (count: number) => `Only the newest ${count} are shown.`,
  },
  theme: {
    title: 'Theme',
    lead: 'Kept in this browser.',
    label: 'Theme',
    themes,
  },
  keyboard: {
    title: 'Keyboard',
    lead: 'Every page can be used without a pointer.',
    show: 'Show all shortcuts',
  },
};
