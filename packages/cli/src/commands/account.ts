// Logging in and out, and who one is.

import { KeyrailError } from '@keyrail/client/errors.ts';
import { isInTheOpen } from '@keyrail/client/plain-http.ts';
import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import type { Fact } from '../facts.ts';
import { usage } from '../faults.ts';
import type { Given } from '../given.ts';
import { type Profile, withoutProfile, withProfile } from '../profile.ts';
import { ask, isInteractive, secretFrom } from '../prompt.ts';
import { tokenOf } from '../target.ts';

const login: Command = {
  name: 'login',
  summary: 'log in to a deployment and keep the credential in a profile',
  options: [
    { flags: '--email <address>', about: 'your address; asked for when left out' },
    { flags: '--workspace <id>', about: 'workspace to act in' },
    { flags: '--key', about: 'keep a secret key (krsk_…) instead of a session' },
  ],
  examples: [
    'keyrail login --url https://keys.example.com',
    'keyrail login --email ada@example.com < password.txt',
    'keyrail login --key --profile ci < secret-key.txt',
  ],
  notes: `Password and secret key are asked for without echo, or read from the first line of stdin;
never from the command line, where others could see them. The profile is kept in
~/.config/keyrail/profiles.json, readable by you alone.`,
  run: async (context, given) => {
    const { target, output } = context;
    if (isInTheOpen(target.url)) {
      output.warn(`${target.url} is not encrypted: the credential can be read on the way.`);
    }
    const signIn = given.flag('key') ? signInWithKey : signInWithPassword;
    const { profile, sentence } = await signIn(context, given);
    await keep(context, profile);
    output.did({ profile: target.profileName, url: target.url, kind: profile.kind }, sentence);
  },
};

type SignedIn = { profile: Profile; sentence: string };

async function signInWithPassword(context: Context, given: Given): Promise<SignedIn> {
  const { terminal, target } = context;
  const email = given.maybe('email') ?? (await askEmail(context));
  const password = await secretFrom(terminal, 'password', `${email} at ${target.url}`);
  const session = await context.stranger().call('POST /v1/auth/sessions', {
    body: { email, password, workspace_id: given.maybe('workspace') },
  });
  const active = session.memberships.find(
    ({ workspace_id: id }) => id === session.active_workspace_id,
  );
  const where = active ? `acting in ${active.name} (${active.slug})` : 'in no workspace yet';
  return {
    profile: { url: target.url, token: session.token, kind: 'session', email: session.user.email },
    sentence: `Logged in at ${target.url} as ${session.user.email}, ${where}.`,
  };
}

async function askEmail({ terminal }: Context): Promise<string> {
  if (!isInteractive(terminal)) throw usage('--email is required where nobody can be asked.');
  const email = (await ask(terminal, 'E-mail: ')).trim();
  if (email === '') throw usage('No address was given.', 'Type it, or name it with --email.');
  return email;
}

async function signInWithKey(context: Context): Promise<SignedIn> {
  const { terminal, target } = context;
  const token = (await secretFrom(terminal, 'secret key', target.url)).trim();
  if (!/^krsk_(live|test)_[\w-]+$/.test(token)) {
    throw usage('That is no secret key: they begin with krsk_live_ or krsk_test_.');
  }
  const workspace = await context.stranger().withToken(token).call('GET /v1/workspace');
  return {
    profile: { url: target.url, token, kind: 'secret_key' },
    sentence: `Logged in at ${target.url} to ${workspace.name} (${workspace.slug}), ${envIn(token)}.`,
  };
}

async function keep(context: Context, profile: Profile): Promise<void> {
  const { profiles, output, target, terminal } = context;
  const { profileName: name } = target;
  const next = withProfile(profiles, name, profile);
  await context.saveProfiles(next);
  if (terminal.env.KEYRAIL_TOKEN) {
    output.warn('KEYRAIL_TOKEN is set: it is used unless a profile is named with --profile.');
  }
  if (next.current === name) return;
  output.note(`The profile in use stays "${next.current}"; change it with:`);
  output.note(`  keyrail profiles use ${name}`);
}

const logout: Command = {
  name: 'logout',
  summary: 'end the session and forget the credential of the profile',
  examples: ['keyrail logout', 'keyrail logout --profile staging'],
  notes: 'A secret key is forgotten here but stays valid: revoke it with secret-keys revoke.',
  run: async (context) => {
    const { target, profiles, output } = context;
    const { profile, profileName } = target;
    if (!profile) {
      output.did({ profile: profileName, logged_out: false }, target.lack);
      return;
    }
    if (profile.kind === 'session') await endSession(context, profile);
    await context.saveProfiles(withoutProfile(profiles, profileName));
    output.did({ profile: profileName, logged_out: true }, `Logged out of ${profile.url}.`);
  },
};

/** Forgetting must work even when the session is gone or the server away. */
async function endSession({ stranger, target, output }: Context, profile: Profile): Promise<void> {
  if (target.url !== profile.url) return;
  try {
    await stranger().withToken(profile.token).call('DELETE /v1/auth/sessions/current');
  } catch (error) {
    if (error instanceof KeyrailError && error.status === 401) return;
    const reason = error instanceof Error ? error.message : String(error);
    output.warn(`The session could not be ended and runs out by itself. ${reason}`);
  }
}

type Who = {
  profile: string;
  url: string;
  as: string;
  workspace: string | null;
  role: string | null;
};

const whoFacts: readonly Fact<Who>[] = [
  { title: 'profile', of: (who) => who.profile },
  { title: 'address', of: (who) => who.url },
  { title: 'as', of: (who) => who.as },
  { title: 'workspace', of: (who) => who.workspace },
  { title: 'role', of: (who) => who.role, ifAny: true },
];

const whoami: Command = {
  name: 'whoami',
  summary: 'show as whom and where you are logged in',
  examples: ['keyrail whoami', 'keyrail whoami --profile staging --json'],
  run: async (context) => {
    const token = tokenOf(context.target);
    const { url, profileName: profile } = context.target;
    const who = token.startsWith('krses_')
      ? await personOf(context)
      : await machineOf(context, token);
    context.output.record({ profile, url, ...who }, whoFacts);
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

/** As much of a secret key as the server itself shows. */
const PREFIX_CHARS = 'krsk_live_'.length + 6;

const envIn = (token: string): string => token.slice('krsk_'.length, 'krsk_live'.length);

export const account: readonly Command[] = [login, logout, whoami];
