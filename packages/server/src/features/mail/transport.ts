// Sends email over SMTP or, for development and tests, writes each email to a JSON file.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import type { Secret } from '../../base/secret.ts';
import type { Content } from './messages.ts';

export type Message = Content & {
  id: string;
  kind: string;
  to: string;
  createdAt: Date;
};

export type MailTransport = {
  send(message: Message): Promise<void>;
  close(): void;
};

export type MailSetting = { kind: 'file'; directory: string } | { kind: 'smtp'; url: Secret };

type MailSender = { from: string; domain: string };

export const openTransport = (setting: MailSetting, sender: MailSender): MailTransport =>
  setting.kind === 'file' ? fileTransport(setting.directory) : smtpTransport(setting.url, sender);

/** Files are first written under a temporary name, so that readers never see an incomplete file. */
function fileTransport(directory: string): MailTransport {
  return {
    async send({ id, kind, to, subject, text, html, createdAt }) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const message = { id, kind, to, subject, text, html, created_at: createdAt.toISOString() };
      const part = join(directory, `.${id}.part`);
      await writeFile(part, `${JSON.stringify(message, null, 2)}\n`, { mode: 0o600 });
      await rename(part, join(directory, `${id}.json`));
    },
    close: () => {},
  };
}

/**
 * Generous timeouts, because some SMTP servers delay their greeting or scan an email before
 * accepting it.
 */
const CONNECT_TIMEOUT_MS = 20_000;
const REPLY_TIMEOUT_MS = 60_000;

function smtpTransport(url: Secret, { from, domain }: MailSender): MailTransport {
  let opened: Promise<Transporter> | null = null;
  return {
    async send({ id, to, subject, text, html, createdAt }) {
      opened ??= openSmtp(url);
      const transport = await opened;
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        date: createdAt,
        // Every attempt has the same Message-ID, so that receivers can recognise duplicates.
        messageId: `<${id}@${domain}>`,
        headers: { 'auto-submitted': 'auto-generated' },
      });
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/**
 * Imports the SMTP driver when the first email is sent, so that processes that don't send email
 * never load it.
 */
async function openSmtp(url: Secret): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url: url.reveal(),
    pool: true,
    maxConnections: 2,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: REPLY_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
