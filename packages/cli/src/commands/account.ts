// Logging in and out, and showing who is logged in.
import { KeyrailError } from '@keyrail/client';
import { isUnencrypted } from '@keyrail/protocol/wire/base-url.ts';
import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { exitCodes, Failure, usage } from '../failures.ts';
import type { Given } from '../input/given.ts';
import type { Field } from '../output/fields.ts';
import { type Profile, withoutProfile, withProfile } from '../profiles/profile-file.ts';
import { tokenOf } from '../profiles/target.ts';
import { ask, isInteractive, secretFrom } from '../terminal/prompt.ts';

const login: Command = {
  name: 'login',
  summary: 'log in to a deployment and save the credential in a profile',
  options: [
    { flags: '--email <address>', about: 'your email address; prompted for if omitted' },
    { flags: '--workspace <id>', about: 'ID of the workspace to use' },
    { flags: '--key', about: 'save a secret key (krsk_…) instead of a session' },
  ],
  examples: [
    'keyrail login --url https://keys.example.com',
    'keyrail login --email ada@example.com < password.txt',
    'keyrail login --key --profile ci < secret-key.txt',
  ],
  notes: `You are prompted for the password or secret key without echo; without a terminal, it is
read from the first line of stdin. It is never an argument, because other users can see
arguments. The profile is saved in ~/.config/keyrail/profiles.json, readable only by you.`,
  run: async (context, given) => {
    const { target, output } = context;
    if (isUnencrypted(target.url)) {
      output.warn(`${target.url} doesn't use TLS, so your credential can be intercepted.`);
    }
    const signIn = given.flag('key') ? signInWithKey : signInWithPassword;
    const { profile, sentence } = await signIn(context, given);
    await saveProfile(context, profile);
    output.report({ profile: target.profileName, url: target.url, kind: profile.kind }, sentence);
  },
};

type SignedIn = { profile: Profile; sentence: string };

async function signInWithPassword(context: Context, given: Given): Promise<SignedIn> {
  const { terminal, target } = context;
  const email = given.maybe('email') ?? (await askEmail(context));
  const password = await secretFrom(terminal, 'password', `Password for ${email} at ${target.url}`);
  const session = await context.anonymous().call('POST /v1/auth/sessions', {
    body: { email, password, workspace_id: given.maybe('workspace') },
  });
  const active = session.memberships.find(
    ({ workspace_id: id }) => id === session.active_workspace_id,
  );
  const where = active ? `in the workspace ${active.name} (${active.slug})` : 'without a workspace';
  return {
    profile: { url: target.url, token: session.token, kind: 'session', email: session.user.email },
    sentence: `Logged in at ${target.url} as ${session.user.email}, ${where}.`,
  };
}

async function askEmail({ terminal }: Context): Promise<string> {
  if (!isInteractive(terminal))
    throw usage("Can't prompt for an email address without a terminal. Pass --email.");
  const email = (await ask(terminal, 'Email: ')).trim();
  if (email === '') throw usage('No email address given.', 'Type one, or pass --email.');
  return email;
}

async function signInWithKey(context: Context): Promise<SignedIn> {
  const { terminal, target } = context;
  const token = (await secretFrom(terminal, 'secret key', `Secret key for ${target.url}`)).trim();
  if (!/^krsk_(live|test)_[\w-]+$/.test(token)) {
    throw usage('Not a secret key. Secret keys start with krsk_live_ or krsk_test_.');
  }
  const client = context.anonymous().withToken(token);
  const workspace = await client.call('GET /v1/workspace').catch((error: unknown) => {
    if (error instanceof KeyrailError && error.code === 'invalid_key') throw refusedKey();
    throw error;
  });
  return {
    profile: { url: target.url, token, kind: 'secret_key' },
    sentence: `Logged in at ${target.url} to ${workspace.name} (${workspace.slug}), ${envIn(token)}.`,
  };
}

const refusedKey = (): Failure =>
  new Failure(
    exitCodes.notLoggedIn,
    'The server rejected this secret key.',
    'It is unknown, expired or revoked, or belongs to another deployment.',
  );

async function saveProfile(context: Context, profile: Profile): Promise<void> {
  const { profiles, output, target, terminal } = context;
  const { profileName: name } = target;
  const next = withProfile(profiles, name, profile);
  await context.saveProfiles(next);
  if (terminal.env.KEYRAIL_TOKEN) {
    output.warn('KEYRAIL_TOKEN is set and overrides the profile unless you pass --profile.');
  }
  if (next.current === name) return;
  output.note(`The current profile is still "${next.current}". Change it with:`);
  output.note(`  keyrail profiles use ${name}`);
}

const logout: Command = {
  name: 'logout',
  summary: 'log out and remove the profile',
  examples: ['keyrail logout', 'keyrail logout --profile staging'],
  notes: `A secret key is removed from this machine but stays valid. To revoke it, use
keyrail secret-keys revoke.`,
  run: async (context) => {
    const { target, profiles, output } = context;
    const { profile, profileName } = target;
    if (!profile) {
      output.report({ profile: profileName, logged_out: false }, target.noTokenReason);
      return;
    }
    if (profile.kind === 'session') await endSession(context, profile);
    await context.saveProfiles(withoutProfile(profiles, profileName));
    output.report({ profile: profileName, logged_out: true }, `Logged out of ${profile.url}.`);
  },
};

/**
 * If the session can't be revoked, this only prints a warning, because the profile should be
 * removed even if the server can't be reached.
 */
async function endSession({ anonymous, target, output }: Context, profile: Profile): Promise<void> {
  if (target.url !== profile.url) return;
  try {
    await anonymous().withToken(profile.token).call('DELETE /v1/auth/sessions/current');
  } catch (error) {
    if (error instanceof KeyrailError && error.status === 401) return;
    const reason = error instanceof Error ? error.message : String(error);
    output.warn(`Couldn't end the session on the server; it will expire on its own. ${reason}`);
  }
}

type Who = {
  profile: string;
  url: string;
  as: string;
  workspace: string | null;
  role: string | null;
};

const whoFields: readonly Field<Who>[] = [
  { title: 'profile', of: (who) => who.profile },
  { title: 'url', of: (who) => who.url },
  { title: 'as', of: (who) => who.as },
  { title: 'workspace', of: (who) => who.workspace },
  { title: 'role', of: (who) => who.role, ifAny: true },
];

const whoami: Command = {
  name: 'whoami',
  summary: 'show the current user, workspace and URL',
  examples: ['keyrail whoami', 'keyrail whoami --profile staging --json'],
  run: async (context) => {
    const token = tokenOf(context.target);
    const { url, profileName: profile } = context.target;
    const who = token.startsWith('krses_')
      ? await personOf(context)
      : await machineOf(context, token);
    context.output.record({ profile, url, ...who }, whoFields);
  },
};

type WhoOnly = Omit<Who, 'profile' | 'url'>;

async function personOf({ client }: Context): Promise<WhoOnly> {
  const me = await client().call('GET /v1/auth/me');
  const active = me.memberships.find(({ workspace_id: id }) => id === me.active_workspace_id);
  const workspace = active ? `${active.name} (${active.slug})` : null;
  return { as: me.user.email, workspace, role: active?.role ?? null };
}

async function machineOf({ client }: Context, token: string): Promise<WhoOnly> {
  const { name, slug } = await client().call('GET /v1/workspace');
  const as = `secret key ${token.slice(0, PREFIX_CHARS)}…`;
  return { as, workspace: `${name} (${slug})`, role: null };
}

/** The length of a secret key's display prefix, which isn't secret. */
const PREFIX_CHARS = 'krsk_live_'.length + 6;

const envIn = (token: string): string => token.slice('krsk_'.length, 'krsk_live'.length);

export const account: readonly Command[] = [login, logout, whoami];
