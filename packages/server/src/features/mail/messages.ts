// The contents of all emails, as plain text and HTML. Each email is short, and tells users who
// didn't request it what to do. Text chosen by users is escaped in the HTML and kept on one line;
// names can't contain links.
import { htmlPage, type MailParts } from './html-page.ts';
import type { MailKind, MailParams } from './kinds.ts';

export type Content = { subject: string; text: string; html: string };

const ROLES: Record<string, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

/**
 * Subjects are constants, because if a subject contained the workspace name, anyone could create a
 * workspace and send an email with a subject of their choice to any address.
 */
const subjects = {
  verify_email: 'Verify your email address',
  existing_account: 'You already have a Keyrail account',
  password_reset: 'Reset your password',
  invite: 'You’ve been invited to a Keyrail workspace',
  key_quarantined: 'Action needed: a leaked key was quarantined',
  backup_failed: 'Keyrail backups are failing',
  webhook_disabled: 'A webhook endpoint has been disabled',
  keys_expiring: 'API keys expiring soon',
} as const satisfies Record<MailKind, string>;

const DID_NOT_ASK =
  'If you didn’t request this, ignore this email. Nothing changes unless the link is used.';

const FOR_OWNERS =
  'You’re receiving this because you own this workspace or because this is its billing email ' +
  'address.';

type PartsOfKind = {
  [K in MailKind]: (params: MailParams[K], link: string | null) => Omit<MailParts, 'subject'>;
};

const partsOf: PartsOfKind = {
  verify_email: (_params, link) => ({
    paragraphs: ['Welcome to Keyrail. Confirm that this email address is yours.'],
    ...button('Verify email address', link),
    small: `The link expires in 24 hours and works once. ${DID_NOT_ASK}`,
  }),
  existing_account: (_params, link) => ({
    paragraphs: [
      'Someone, probably you, tried to sign up with this email address, which already has an ' +
        'account. Your password hasn’t changed.',
      link
        ? 'The address was never verified, though, so someone else may have created the account. ' +
          'To claim it, choose a new password: this verifies your address and signs out every ' +
          'session.'
        : 'Sign in with your password. If you’ve forgotten it, you can reset it on the sign-in page.',
    ],
    ...button('Choose a new password', link),
    small: link
      ? `The link expires in one hour and works once. ${DID_NOT_ASK}`
      : 'If this wasn’t you, there’s nothing you need to do.',
  }),
  password_reset: (_params, link) => ({
    paragraphs: ['Use the link below to choose a new password. This signs you out everywhere.'],
    ...button('Choose a new password', link),
    small: `The link expires in one hour and works once. ${DID_NOT_ASK}`,
  }),
  invite: ({ workspace, role, inviter }, link) => ({
    paragraphs: [
      `${inviter ? `${inviter} has invited you` : 'You’ve been invited'} ` +
        `to join ${workspace} as ${ROLES[role] ?? role}.`,
    ],
    ...button('View invitation', link),
    small:
      'The link expires in seven days and works once. Don’t forward it: it proves that this ' +
      'email address is yours.',
  }),
  key_quarantined: ({ workspace, display_prefix, env, expires_at, found_at }) => ({
    paragraphs: [
      `The ${env} key starting with ${display_prefix} was found in a public place. ` +
        (expires_at
          ? `It will stop working at ${minuteOf(expires_at)}.`
          : 'It had already stopped working.'),
      `The key belongs to the workspace ${workspace}.`,
      ...(found_at ? [`Found at: ${found_at}`] : []),
      ...(expires_at ? ['Rotate it now and switch to the new key before then.'] : []),
    ],
    small: FOR_OWNERS,
  }),
  webhook_disabled: ({ workspace, host }) => ({
    paragraphs: [
      `Every delivery to ${host} has failed for five days, so the endpoint has been disabled.`,
      `It belongs to the workspace ${workspace}. Enable it again once it’s fixed. Events that ` +
        'happen before then won’t be sent.',
    ],
    small: FOR_OWNERS,
  }),
  keys_expiring: ({ workspace, count, keys, others }) => ({
    paragraphs: [
      `${count === '1' ? '1 live key' : `${count} live keys`} in the workspace ${workspace} ` +
        `${count === '1' ? 'expires' : 'expire'} within 14 days:`,
      ...keys.split('; ').map(minuteOf),
      ...(others === '0' ? [] : [`… and ${others} more`]),
      'Rotate these keys, or let your customers know.',
    ],
    small: FOR_OWNERS,
  }),
  backup_failed: ({ task, reason, at }) => ({
    paragraphs: [
      `${task === 'backup' ? 'The latest backup' : 'The restore test of the latest backup'} failed at ` +
        `${minuteOf(at)}: ${reason}`,
      'Earlier backups haven’t been deleted. You won’t get another email about this until a run ' +
        'succeeds and a later one fails. See /status for the current state.',
    ],
    small:
      'You’re receiving this because the server’s KEYRAIL_OPERATOR_EMAIL is set to this address.',
  }),
};

const button = (label: string, url: string | null): Pick<MailParts, 'button'> =>
  url === null ? {} : { button: { label, url } };

export function contentOf<K extends MailKind>(
  kind: K,
  params: MailParams[K],
  link: string | null,
): Content {
  const inLine = Object.entries(params).map(([name, text]) => [
    name,
    name === 'workspace' ? plainName(oneLine(text)) : oneLine(text),
  ]);
  const written = partsOf[kind](Object.fromEntries(inLine) as MailParams[K], link);
  const parts = { subject: subjects[kind], ...written };
  return { subject: parts.subject, text: plainText(parts), html: htmlPage(parts) };
}

/**
 * Keeps parameters on one line, so that a workspace name can't look like a paragraph of the email.
 */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/**
 * Invisible characters, some of which reverse text. The two exceptions are needed for Persian and
 * emoji.
 */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;
/**
 * Characters that make a word look like a link or an email address, such as dots and at signs. They
 * don't count if a space follows.
 */
const JOINTS = /(?:[.:@\\\u2024\u3002\uff0e\uff1a\uff20\uff61]|\/(?=\/)|(?<=\/)\/)(?=[^\s.])/gu;

/**
 * Removes everything that email clients turn into a link. Anyone can name a workspace and invite
 * strangers to it, so a name such as `evil.example` could be an advertisement or a trap.
 */
const plainName = (name: string): string =>
  name.replaceAll(INVISIBLE, '').replaceAll(JOINTS, '·').replaceAll(/·+/g, '·');

/** Removes the seconds from a time: `2026-03-01T12:34:56.789Z` → `2026-03-01 12:34 UTC`. */
const minuteOf = (at: string): string => at.replace(/T(\d\d:\d\d)[\d:.]*Z$/, ' $1 UTC');

function plainText({ paragraphs, button: link, small }: MailParts): string {
  const parts = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), small];
  return `${parts.join('\n\n')}\n\n-- \nKeyrail\n`;
}
