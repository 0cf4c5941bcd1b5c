// The texts of all mails, as plain text and HTML. Each mail is short and says what to do if it was
// not requested. Text from users is escaped in the HTML and reduced to one line, and
// names contain no links.
import { htmlPage, type MailParts } from './html-page.ts';
import type { MailKind, MailParams } from './kinds.ts';

export type Content = { subject: string; text: string; html: string };

const ROLES: Record<string, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

/**
 * Subjects are constants. If they contained the workspace name, the founder of a workspace could
 * choose the subject of a mail to any address.
 */
const subjects = {
  verify_email: 'Verify your e-mail address',
  existing_account: 'You already have a Keyrail account',
  password_reset: 'Reset your password',
  invite: 'You are invited to a workspace on Keyrail',
  key_quarantined: 'A leaked key was quarantined',
  backup_failed: 'Keyrail: backups are failing',
  webhook_disabled: 'A webhook endpoint was disabled',
  keys_expiring: 'Keys that end soon',
} as const satisfies Record<MailKind, string>;

const DID_NOT_ASK = 'If this was not you, ignore this message: nothing happens without the link.';

const FOR_OWNERS = 'You get this mail as an owner of the workspace or at its billing address.';

type PartsOfKind = {
  [K in MailKind]: (params: MailParams[K], link: string | null) => Omit<MailParts, 'subject'>;
};

const partsOf: PartsOfKind = {
  verify_email: (_params, link) => ({
    paragraphs: ['Welcome to Keyrail. One click proves that this address is yours.'],
    ...button('Verify address', link),
    small: `The link works once, for 24 hours. ${DID_NOT_ASK}`,
  }),
  existing_account: (_params, link) => ({
    paragraphs: [
      'Someone, probably you, signed up with this address, which already has an account. ' +
        'Your password was not changed. ' +
        (link
          ? 'But the address was never verified, so the account may have been made by someone ' +
            'else. Choose a new password: that proves that the address is yours, and ends all ' +
            'sessions.'
          : 'Just log in; if you forgot the password, ask for a reset.'),
    ],
    ...button('Choose a new password', link),
    small: link
      ? `The link works once, for one hour. ${DID_NOT_ASK}`
      : 'If this was not you, there is nothing to do.',
  }),
  password_reset: (_params, link) => ({
    paragraphs: ['Choose a new password. All your sessions end when you do.'],
    ...button('Choose a new password', link),
    small: `The link works once, for one hour. ${DID_NOT_ASK}`,
  }),
  invite: ({ workspace, role, inviter }, link) => ({
    paragraphs: [
      `${inviter ? `${inviter} invites you` : 'You are invited'} ` +
        `to join ${workspace} as ${ROLES[role] ?? role}.`,
    ],
    ...button('Accept the invitation', link),
    small: 'The link works once, for seven days. Do not forward it: it proves your identity.',
  }),
  key_quarantined: ({ workspace, display_prefix, env, expires_at, found_at }) => ({
    paragraphs: [
      `The ${env} key that begins with ${display_prefix} was found in a public place. ` +
        (expires_at
          ? `It stops working at ${minuteOf(expires_at)}.`
          : 'It had stopped working before.'),
      `It belongs to the workspace ${workspace}.`,
      ...(found_at ? [`Where it was found: ${found_at}`] : []),
      ...(expires_at
        ? ['Rotate it now: the successor is clean, and the old key ends by itself.']
        : []),
    ],
    small: FOR_OWNERS,
  }),
  webhook_disabled: ({ workspace, host }) => ({
    paragraphs: [
      `Every event that was sent to ${host} failed for five days, so the endpoint was disabled.`,
      `It belongs to the workspace ${workspace}. Enable it again when it works. Events that ` +
        'happen until then are not sent.',
    ],
    small: FOR_OWNERS,
  }),
  keys_expiring: ({ workspace, count, keys, others }) => ({
    paragraphs: [
      `Live keys of the workspace ${workspace} that end within 14 days: ${count}.`,
      `${keys}${others === '0' ? '' : `; and ${others} more`}.`,
      'Rotate them, or tell your customers.',
    ],
    small: FOR_OWNERS,
  }),
  backup_failed: ({ task, reason, at }) => ({
    paragraphs: [
      `${task === 'backup' ? 'The backup' : 'The test of the newest backup'} failed at ` +
        `${minuteOf(at)}: ${reason}`,
      'Earlier backups are kept. No further mail is sent until a run has passed and another fails; ' +
        '/status shows the current state.',
    ],
    small: 'You get this mail because KEYRAIL_OPERATOR_EMAIL of the server is this address.',
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

/** Keeps parameters on one line: a workspace name must not look like a paragraph of the mail. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** Invisible characters, some of which reverse text. Two of them are part of Persian and emoji. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;
/** What joins the parts of a link or an address, and its look-alikes, unless a space follows. */
const JOINTS = /(?:[.:@\\\u2024\u3002\uff0e\uff1a\uff20\uff61]|\/(?=\/)|(?<=\/)\/)(?=[^\s.])/gu;

/**
 * A name without anything that mail programs turn into a link. Mail goes to strangers, and its
 * sender chooses the name of the workspace: `evil.example` would be an advertisement or a trap.
 */
const plainName = (name: string): string =>
  name.replaceAll(INVISIBLE, '').replaceAll(JOINTS, '·').replaceAll(/·+/g, '·');

/** `2026-03-01T12:34:56.789Z` → `2026-03-01 12:34 UTC` */
const minuteOf = (at: string): string => at.replace(/T(\d\d:\d\d)[\d:.]*Z$/, ' $1 UTC');

function plainText({ paragraphs, button: link, small }: MailParts): string {
  const parts = [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), small];
  return `${parts.join('\n\n')}\n\n-- \nKeyrail\n`;
}
