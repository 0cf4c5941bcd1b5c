// Settings of accounts: sign-up, and the limits of unverified accounts.
import { type SignupPolicy, signupPolicies } from '../features/accounts/signup-policy.ts';
import { onOrOff, wholeNumber } from './parsers.ts';
import { Fault, type Setting } from './setting.ts';

export const signupPolicy: Setting<SignupPolicy> = {
  name: 'KEYRAIL_SIGNUP',
  meaning: 'Sign-up: open (anyone), invited (email addresses with a pending invitation) or off.',
  fallback: 'open',
  parse: (text) => {
    for (const policy of signupPolicies) if (policy === text) return policy;
    throw new Fault(`must be one of ${signupPolicies.join(', ')}`);
  },
};

export const verifiedOnly: Setting<boolean> = {
  name: 'KEYRAIL_VERIFIED_ONLY',
  meaning: 'on: unverified users cannot create workspaces or invite. Default: on with SMTP mail.',
  fallback: null,
  parse: onOrOff,
};

export const workspacesPerPersonMax: Setting<number> = {
  name: 'KEYRAIL_WORKSPACES_PER_PERSON',
  meaning: 'Maximum workspaces that one person may create and own.',
  fallback: '10',
  parse: (text) => wholeNumber(text, 1, 1_000_000),
};

export const invitesPerHourMax: Setting<number> = {
  name: 'KEYRAIL_INVITES_PER_HOUR',
  meaning: 'Maximum invitations in an hour by one workspace, and by one person in all workspaces.',
  fallback: '50',
  parse: (text) => wholeNumber(text, 1, 10_000),
};
