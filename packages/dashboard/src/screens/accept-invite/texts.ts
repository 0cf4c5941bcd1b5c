import type { Role } from '../../shell/scope.ts';

const roles: Readonly<Record<Role, string>> = {
  owner: 'You can change everything, and manage its members.',
  admin: 'You can create, change and revoke keys, projects and customers.',
  member: 'You can look at everything, and change nothing.',
};

export const texts = {
  title: 'Invitation',
  checking: 'Reading the invitation.',
  joinTitle: (name: string) => `Join ${name}`,
  lead: 'You are invited to this workspace. Nothing happens before you decide.',
  facts: 'The invitation',
  workspace: 'Workspace',
  role: 'Role',
  invited: 'Invited address',
  ends: 'Ends',
  roles,
  as: (email: string) => `You accept as ${email}.`,
  accept: 'Accept invitation',
  decline: 'Not now',
  signIn: 'Sign in to accept',
  signUp: 'Sign up',
  noAccount: 'No account yet?',
  unverified: (email: string) =>
    `Verify ${email} first: open the link in the mail that you got when you signed up. This page waits.`,
  again: 'Send another link',
  sent: 'A new link is on its way.',
  failed: 'This invitation does not work',
  failedText: 'It was accepted, revoked, or has ended. Ask for another one.',
  noToken: 'The address lacks its token. Open the link in the mail again.',
  member: 'You are a member already',
  memberText: 'There is nothing to accept.',
  go: 'Go to your workspaces',
};
