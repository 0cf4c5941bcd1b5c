// Creates test users, who sign up, verify their email address and log in through the API, using the
// emails that the product sends.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sendDueMail } from '@keyrail/server/features/mail/send-mail.job.ts';
import type { Caller, Harness } from './harness.ts';
import { mailDirectory, type TestApp } from './test-app.ts';

export const PASSWORD = 'correct horse battery staple';

export type Mail = {
  id: string;
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
};

export type Person = { email: string; userId: string; token: string; call: Caller };

type As = (token: string | null) => Caller;

/** Turns a credential into a harness caller, for the functions below. */
export const callersOf =
  ({ as }: Pick<Harness, 'as'>): As =>
  (token) =>
    token === null ? as.nobody : as.token(token);

/** Creates a verified user without a workspace. */
export const someone = (vendor: Harness): Promise<Person> =>
  newPerson(vendor.testApp, callersOf(vendor));

let people = 0;

export function newAddress(): string {
  people += 1;
  return `person-${process.pid}-${people}@example.com`;
}

/** Sends queued emails, then reads the emails to an address, oldest first. */
export async function mailTo({ app }: TestApp, address: string): Promise<Mail[]> {
  while (await sendDueMail({ ...app.worker, newClaim: app.worker.newId }));
  const names = await readdir(mailDirectory).catch(() => []);
  const mails = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map(readMail),
  );
  return mails.filter(({ to }) => to === address);
}

const readMails = new Map<string, Mail>();

/** Each file is read only once, because emails never change, and a test process sends hundreds. */
async function readMail(name: string): Promise<Mail> {
  const mail = readMails.get(name) ?? JSON.parse(await readFile(join(mailDirectory, name), 'utf8'));
  readMails.set(name, mail);
  return mail;
}

/** Returns the token from the newest email of a given kind. */
export async function mailedToken(opened: TestApp, address: string, kind: string): Promise<string> {
  const mail = (await mailTo(opened, address)).findLast((each) => each.kind === kind);
  const token = /#token=(\S+)/.exec(mail?.text ?? '')?.[1];
  if (!token) throw new Error(`no ${kind} email with a token for ${address}`);
  return token;
}

export async function signUp(as: As, email = newAddress()): Promise<string> {
  await as(null)('POST /v1/auth/users', { email, password: PASSWORD });
  return email;
}

export async function logIn(as: As, email: string): Promise<Person> {
  const session = await as(null)('POST /v1/auth/sessions', { email, password: PASSWORD });
  const { token, user } = session;
  return { email, userId: user.id, token, call: as(token) };
}

/** Creates a user with a verified email address and without a workspace. */
export async function newPerson(opened: TestApp, as: As): Promise<Person> {
  const email = await signUp(as);
  const token = await mailedToken(opened, email, 'verify_email');
  await as(null)('POST /v1/auth/email_verifications/consume', { token });
  return logIn(as, email);
}

/** Creates a user who accepts an invitation. The workspace becomes the session's active one. */
export async function newMember(
  opened: TestApp,
  as: As,
  { inviter, role }: { inviter: Caller; role: 'owner' | 'admin' | 'member' },
): Promise<Person> {
  const person = await newPerson(opened, as);
  const { token } = await inviter('POST /v1/invites', { email: person.email, role });
  await person.call('POST /v1/auth/invites/accept', { token });
  return person;
}
