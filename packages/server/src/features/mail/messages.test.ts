// Each kind of email, as text and HTML. Text chosen by users appears only as plain words, never as
// markup, a link or an extra line.
import { equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { MailKind, MailParams } from './kinds.ts';
import { type Content, contentOf } from './messages.ts';

const LINK = 'https://keyrail.example.com/accept-invite#token=0189.q3Zk0J7vX2m9fL1s&a=b';

const invited: MailParams['invite'] = {
  workspace: 'Acme',
  role: 'admin',
  inviter: 'ada@example.com',
};
const leaked: MailParams['key_quarantined'] = {
  workspace: 'Acme',
  display_prefix: 'kr_live_a1B2c3',
  env: 'live',
  expires_at: '2026-03-01T12:34:56.789Z',
  found_at: '',
};

const all: [kind: MailKind, content: Content, hasLink: boolean][] = [
  ['verify_email', contentOf('verify_email', {}, LINK), true],
  ['existing_account', contentOf('existing_account', {}, null), false],
  ['existing_account', contentOf('existing_account', {}, LINK), true],
  ['password_reset', contentOf('password_reset', {}, LINK), true],
  ['invite', contentOf('invite', invited, LINK), true],
  ['key_quarantined', contentOf('key_quarantined', leaked, null), false],
];

const escaped = (text: string) => text.replaceAll('&', '&amp;');

for (const [kind, { subject, text, html }, hasLink] of all) {
  test(`${kind}${hasLink ? ' with a link' : ''} has the same content as text and as HTML`, () => {
    ok(subject.length > 10 && !/[\r\n]/.test(subject));
    match(html, /^<!doctype html>\n<html lang="en">/);
    ok(html.includes(`<title>${subject}</title>`));
    const [first = ''] = text.split('\n\n');
    ok(html.includes(`>${first}</p>`), first);
    equal(text.includes(LINK), hasLink);
    equal(html.split(escaped(LINK)).length - 1, hasLink ? 3 : 0, 'button, address, its text');
    equal(html.includes('<script'), false);
    equal(/<(img|link|iframe|form)\b|https?:\/\/(?!keyrail\.example\.com)/.test(html), false);
  });
}

test('emails support light and dark mode, and narrow and wide screens', () => {
  for (const [, { html }] of all) {
    match(html, /<meta name="color-scheme" content="light dark">/);
    match(html, /prefers-color-scheme: dark/);
    match(html, /<meta name="viewport" content="width=device-width">/);
    match(html, /max-width:520px/);
  }
});

test('an invitation shows the workspace, the role and, unless it was sent with a secret key, the inviter', () => {
  const byPerson = contentOf('invite', invited, LINK);
  ok(byPerson.text.startsWith('ada@example.com has invited you to join Acme as an admin.'));
  const byKey = contentOf('invite', { ...invited, role: 'member', inviter: '' }, LINK);
  ok(byKey.text.startsWith('You’ve been invited to join Acme as a member.'));
});

test('a quarantine email shows the key’s display prefix and when it expires', () => {
  const { subject, text } = contentOf('key_quarantined', leaked, null);
  equal(subject, 'Action needed: a leaked key was quarantined');
  match(text, /The key belongs to the workspace Acme\./);
  match(text, /live key starting with kr_live_a1B2c3 /);
  match(text, /will stop working at 2026-03-01 12:34 UTC\./);
  match(text, /because you own this workspace or because this is its billing email address/);
});

test('a quarantine email about an expired key does not suggest rotating it', () => {
  const { text } = contentOf('key_quarantined', { ...leaked, expires_at: '' }, null);
  match(text, /found in a public place\. It had already stopped working\./);
  equal(/[Rr]otate|will stop|stops working/.test(text), false);
});

test('the location where a key was found is shown as text, never as a link', () => {
  const found_at = 'https://git.example/acme/app?a="x"&b=<2>';
  const { text, html } = contentOf('key_quarantined', { ...leaked, found_at }, null);
  ok(text.includes(`Found at: ${found_at}\n`));
  ok(html.includes('Found at: https://git.example/acme/app?a=&quot;x&quot;&amp;b=&lt;2&gt;'));
  equal(/href/.test(html), false);
});

test('markup in a workspace name is escaped', () => {
  const workspace = '"><img src=x onerror=alert(1)>&amp;<b>\'';
  const { html, text, subject } = contentOf('invite', { ...invited, workspace }, LINK);
  equal(/<img|<b>/.test(html), false);
  ok(html.includes('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;&lt;b&gt;&#39;'));
  ok(text.includes(workspace));
  equal(subject.includes('img'), false);
});

const LINKS = [
  ['Sign in now: https://evil.example/login', 'Sign in now: https·evil·example/login'],
  ['www.evil.example', 'www·evil·example'],
  ['evil.example', 'evil·example'],
  ['evil。example and evil．example', 'evil·example and evil·example'],
  ['evil.\u200bexample', 'evil·example'],
  ['\u202eelpmaxe.live\u202c', 'elpmaxe·live'],
  ['help@evil.example', 'help·evil·example'],
  ['mailto:help', 'mailto·help'],
  ['\\\\evil\\share', '·evil·share'],
  ['//evil/login', '·evil/login'],
  ['Acme Inc.', 'Acme Inc.'],
  ['Wait... what?', 'Wait... what?'],
  ['evil..example', 'evil.·example'],
  ['Research & Development: Zürich, A/S', 'Research & Development: Zürich, A/S'],
] as const;

test('a workspace name cannot put a link or an address into an email', () => {
  for (const [workspace, shown] of LINKS) {
    const { text } = contentOf('invite', { ...invited, workspace }, LINK);
    equal(text.split('\n')[0], `ada@example.com has invited you to join ${shown} as an admin.`);
    const others = [
      contentOf('key_quarantined', { ...leaked, workspace }, null),
      contentOf('webhook_disabled', { workspace, host: 'hooks.example' }, null),
      contentOf('keys_expiring', { workspace, count: '1', keys: 'kr_live_a', others: '0' }, null),
    ];
    for (const mail of others) {
      ok(mail.text.includes(` workspace ${shown}`), mail.text);
      equal(mail.html.includes(workspace) || mail.text.includes(workspace), workspace === shown);
    }
  }
});

test('line breaks in a workspace name become spaces', () => {
  for (const end of ['\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f']) {
    const workspace = `Acme${end}${end}Verify here:${end}https://evil.example/${end}Bcc: x@y.zz`;
    const { subject, text } = contentOf('invite', { ...invited, workspace }, LINK);
    const inLine = 'Acme Verify here: https·evil·example/ Bcc: x·y·zz';
    equal(subject, 'You’ve been invited to a Keyrail workspace');
    equal(text.split('\n')[0], `ada@example.com has invited you to join ${inLine} as an admin.`);
  }
});

test('no email subject contains text that a user chose', () => {
  const evil = 'URGENT: your key leaked, sign in at https://evil.example/login -';
  const hostile = <K extends 'invite' | 'key_quarantined'>(kind: K, params: MailParams[K]) => {
    const filled = Object.fromEntries(Object.keys(params).map((name) => [name, evil]));
    return contentOf(kind, { ...params, ...filled }, LINK).subject;
  };
  equal(hostile('invite', invited), contentOf('invite', invited, LINK).subject);
  equal(hostile('key_quarantined', leaked), contentOf('key_quarantined', leaked, null).subject);
});

test('the email to an unverified account has a link for setting a new password', () => {
  const { text } = contentOf('existing_account', {}, LINK);
  match(text, /choose a new password: this verifies your address and signs out every session/);
  match(text, /The link expires in one hour and works once\./);
  equal(/choose a new/.test(contentOf('existing_account', {}, null).text), false);
});
