// Settings for accounts: passwords, sign-up, and what unverified accounts may do.
import { PASSWORD_CHARS_MIN } from '@keyrail/protocol/wire/limits.ts';
import { type SignupPolicy, signupPolicies } from '../features/accounts/signup-policy.ts';
import type { MailSetting } from '../features/mail/transport.ts';
import { onOrOff, wholeNumber } from './parsers.ts';
import { Fault, type Group, type ValuesOf } from './setting.ts';

export const people = {
  passwordCharsMin: {
    name: 'KEYRAIL_PASSWORD_MIN',
    meaning: 'Minimum length of a new password, in characters.',
    fallback: String(PASSWORD_CHARS_MIN),
    parse: (text) => wholeNumber(text, 8, 64),
  },
  authThrottle: {
    name: 'KEYRAIL_AUTH_THROTTLE',
    meaning: 'Limits sign-in and sign-up attempts and emails per address: on, or off for tests.',
    fallback: 'on',
    parse: onOrOff,
  },
  signupPolicy: {
    name: 'KEYRAIL_SIGNUP',
    meaning: 'Sign-up: open (anyone), invited (email addresses with a pending invitation) or off.',
    fallback: 'open',
    parse: (text): SignupPolicy => {
      for (const policy of signupPolicies) if (policy === text) return policy;
      throw new Fault(`must be one of ${signupPolicies.join(', ')}`);
    },
  },
  verifiedOnly: {
    name: 'KEYRAIL_VERIFIED_ONLY',
    meaning:
      'on: unverified users cannot create workspaces or invite people. Default: on with SMTP mail.',
    fallback: null,
    parse: onOrOff,
  },
  workspacesPerPersonMax: {
    name: 'KEYRAIL_WORKSPACES_PER_PERSON',
    meaning: 'Maximum workspaces that one user may create and own.',
    fallback: '10',
    parse: (text) => wholeNumber(text, 1, 1_000_000),
  },
  invitesPerHourMax: {
    name: 'KEYRAIL_INVITES_PER_HOUR',
    meaning:
      'Maximum invitations per hour from one workspace, and from one user across all workspaces.',
    fallback: '50',
    parse: (text) => wholeNumber(text, 1, 10_000),
  },
} satisfies Group;

/**
 * Emails written to files can't verify an address, because the operator would have to forward every
 * link.
 */
export const peopleWith = (values: ValuesOf<typeof people>, { mail }: { mail: MailSetting }) => ({
  ...values,
  verifiedOnly: values.verifiedOnly ?? mail.kind === 'smtp',
});
