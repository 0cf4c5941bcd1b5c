// Settings for outgoing email.
import { join } from 'node:path';
import { Secret } from '../base/secret.ts';
import type { MailSetting } from '../features/mail/transport.ts';
import { isSender, isSmtp } from './parsers.ts';
import { Fault, type Group, type ValuesOf } from './setting.ts';

export const mail = {
  mail: {
    name: 'KEYRAIL_MAIL',
    meaning: 'file:<directory>, smtp://user:pass@host:port or smtps://… Default: <data dir>/mail.',
    fallback: null,
    isSecret: true,
    parse: (text): MailSetting => {
      if (text.startsWith('file:') && text.length > 'file:'.length) {
        return { kind: 'file', directory: text.slice('file:'.length) };
      }
      if (isSmtp(text)) return { kind: 'smtp', url: new Secret(text) };
      throw new Fault('must be file:<directory>, smtp://host:port or smtps://host:port');
    },
  },
  mailFrom: {
    name: 'KEYRAIL_MAIL_FROM',
    meaning: 'Sender of all emails.',
    fallback: 'Keyrail <keyrail@localhost>',
    parse: (text) => {
      if (!isSender(text)) throw new Fault('must be Name <address>');
      return text;
    },
  },
} satisfies Group;

export const mailIn = (values: ValuesOf<typeof mail>, { dataDir }: { dataDir: string }) => ({
  ...values,
  mail: values.mail ?? { kind: 'file' as const, directory: join(dataDir, 'mail') },
});
