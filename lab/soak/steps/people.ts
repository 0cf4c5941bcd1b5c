// Steps taken by users: owners demote each other, passwords are reset, users sign up, and
// verification emails are resent.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD } from '@keyrail/testing/people.ts';
import { isOk, type Mail, textOf } from '../history.ts';
import type { Step } from '../plan.ts';
import { send, type World } from '../world.ts';

const MAIL_MS_MAX = 10_000;
const MAIL_STEP_MS = 100;

export type Letter = Mail & { text: string };

const letters = new Map<string, Letter>();

/** Reads all emails in a directory. Each file is read only once, because emails never change. */
export async function mailsIn(directory: string): Promise<Letter[]> {
  const names = await readdir(directory).catch(() => []);
  const found = names.filter((name) => name.endsWith('.json')).toSorted();
  return Promise.all(
    found.map(async (name) => {
      const path = join(directory, name);
      const letter: Letter = letters.get(path) ?? JSON.parse(await readFile(path, 'utf8'));
      letters.set(path, letter);
      return letter;
    }),
  );
}

/**
 * Returns the token from the latest email of a given kind, not counting emails already seen; null
 * if none arrives.
 */
export async function tokenFor(
  world: Pick<World, 'mailDir'>,
  { to, kind, seen }: { to: string; kind: string; seen: number },
): Promise<string | null> {
  const until = performance.now() + MAIL_MS_MAX;
  while (performance.now() < until) {
    const fitting = (await mailsIn(world.mailDir)).filter(
      (mail) => mail.to === to && mail.kind === kind,
    );
    const token = /#token=(\S+)/.exec(fitting.at(-1)?.text ?? '')?.[1];
    if (fitting.length > seen && token) return token;
    await sleep(MAIL_STEP_MS);
  }
  return null;
}

/**
 * Two owners demote each other at the same time; afterwards, requests with the secret key make both
 * of them owners again.
 */
export async function duelOwners(world: World, client: string, { dice }: Step): Promise<void> {
  const [first, second] = world.owners;
  if (!first || !second) return;
  const give = (by: string, { userId, role }: { userId: string; role: string }) =>
    send(world, client, {
      kind: 'member.role',
      args: { id: userId, role },
      method: 'PATCH',
      path: `/v1/members/${userId}`,
      token: by,
      at: dice[0],
      body: { role },
    });
  const list = () => send(world, client, { kind: 'member.list', path: '/v1/members', at: dice[0] });
  await Promise.all([
    give(first.token, { userId: second.userId, role: 'admin' }),
    give(second.token, { userId: first.userId, role: 'admin' }),
  ]);
  await list();
  for (const { userId } of world.owners) await give(world.secretKey, { userId, role: 'owner' });
}

let isResetting = false;

/**
 * Two requests use the same reset token at the same time; sessions from before the reset are
 * rejected.
 */
export async function raceReset(world: World, client: string, { dice }: Step): Promise<void> {
  if (isResetting) return; // a second reset would invalidate the token of the first
  isResetting = true;
  try {
    await reset(world, client, dice[0]);
  } finally {
    isResetting = false;
  }
}

async function reset(world: World, client: string, at: number): Promise<void> {
  const { email, userId } = world.forgetful;
  const since = performance.now();
  const body = { email, password: PASSWORD };
  const login = {
    kind: 'session.login',
    method: 'POST',
    path: '/v1/auth/sessions',
    at,
    body,
  } as const;
  const session = await send(world, client, { ...login, token: '' });
  const seen = (await mailsIn(world.mailDir)).filter(
    (mail) => mail.to === email && mail.kind === 'password_reset',
  ).length;
  await send(world, client, {
    kind: 'reset.ask',
    method: 'POST',
    path: '/v1/auth/password_resets',
    token: '',
    at,
    body: { email },
  });
  const token = await tokenFor(world, { to: email, kind: 'password_reset', seen });
  if (!token) return;
  const consume = (turn: number) =>
    send(world, client, {
      kind: 'reset.consume',
      args: { token, user: userId },
      method: 'POST',
      path: '/v1/auth/password_resets/consume',
      token: '',
      at: turn,
      body: { token, password: PASSWORD },
    });
  await Promise.all([consume(at), consume(at + 1)]);
  if (!isOk(session)) return;
  await send(world, client, {
    kind: 'session.use',
    args: { user: userId, since },
    path: '/v1/auth/me',
    token: textOf(session.body, 'token'),
    at,
  });
}

const NEWCOMERS = 20;

/** Signs up with new and existing email addresses. Every attempt sends one email. */
export async function signUp(world: World, client: string, { dice }: Step): Promise<void> {
  const email = `newcomer-${world.workspaceId}-${dice[1] % NEWCOMERS}@example.com`;
  await send(world, client, {
    kind: 'signup',
    args: { email },
    method: 'POST',
    path: '/v1/auth/users',
    token: '',
    at: dice[0],
    body: { email, password: PASSWORD },
  });
}

export async function resendMail(world: World, client: string, { dice }: Step): Promise<void> {
  const [owner] = world.owners;
  if (!owner) return;
  await send(world, client, {
    kind: 'mail.resend',
    args: { email: owner.email },
    method: 'POST',
    path: '/v1/auth/email_verifications',
    token: owner.token,
    at: dice[0],
    body: {},
  });
}
