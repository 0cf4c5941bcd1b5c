import type { Role } from '../../shell/scope.ts';

const roles: Readonly<Record<Role, string>> = {
  owner: 'You’ll be able to change everything, including members.',
  admin: 'You’ll be able to manage keys, tenants and projects.',
  member: 'You’ll be able to view everything, but not change it.',
};

export const texts = {
  title: 'Invitation',
  checking: 'Loading the invitation…',
  joinTitle: (name: string) => `Join ${name}`,
  lead: 'You’ve been invited to this workspace. Nothing happens until you accept.',
  facts: 'Invitation',
  workspace: 'Workspace',
  role: 'Role',
  invited: 'Sent to',
  ends: 'Expires',
  roles,
  as: (email: string) => `You’re accepting as ${email}.`,
  accept: 'Accept invitation',
  decline: 'Not now',
  signIn: 'Sign in to accept',
  signUp: 'Sign up',
  noAccount: 'Don’t have an account?',
  unverified: (email: string) =>
    `Verify ${email} first: open the link in the email you got when you signed up. You can leave this page open.`,
  again: 'Send a new link',
  sent: 'A new link is on its way.',
  failed: 'This invitation doesn’t work',
  failedText: 'It has already been accepted, was revoked, or has expired. Ask for a new one.',
  noToken: 'Part of the link is missing. Open the link in the email again.',
  member: 'You’re already a member',
  memberText: 'There’s nothing left to accept.',
  go: 'Go to your workspaces',
};
