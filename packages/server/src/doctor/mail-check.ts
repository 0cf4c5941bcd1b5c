// Checks email delivery: performs a real handshake with the mail server, or checks that the
// directory is writable.
import { reasonOf } from '../base/errors.ts';
import { probeSmtp } from '../features/mail/probe-smtp.ts';
import type { MailSetting } from '../features/mail/transport.ts';
import { canWriteIn } from './files-check.ts';
import { fault, fine, type Outcome, warning } from './finding.ts';

type MailParts = { mail: MailSetting; isProduction: boolean };

export async function checkMail({ mail, isProduction }: MailParts): Promise<Outcome[]> {
  if (mail.kind === 'smtp') {
    return probeSmtp(mail.url).then(
      () => [fine('The mail server accepts the connection and the credentials.')],
      (error: unknown) => [handshakeFault(error)],
    );
  }
  if (!canWriteIn(mail.directory)) {
    return [
      fault(
        `Can't write emails to ${mail.directory}.`,
        "Give the server's user write access, or set KEYRAIL_MAIL.",
      ),
    ];
  }
  if (!isProduction) return [fine(`Emails are saved as files in ${mail.directory}.`)];
  return [
    warning(
      `Emails are only saved as files in ${mail.directory}. Nobody receives them.`,
      'Set KEYRAIL_MAIL to your mail server: smtps://user:password@host:465.',
    ),
  ];
}

/** The remedy for each handshake step that can fail. */
const remedies: Record<string, string> = {
  EAUTH: 'Fix the user and password in KEYRAIL_MAIL.',
  EDNS: 'Fix the host in KEYRAIL_MAIL.',
  ETLS: 'Use the right port for smtp: or smtps:, and a certificate that this machine trusts.',
  ESOCKET: 'Fix the host, port and smtp: or smtps: in KEYRAIL_MAIL, and allow the connection.',
};

function handshakeFault(error: unknown): Outcome {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy =
    remedies[code] ?? 'Fix the host and port in KEYRAIL_MAIL, and allow the connection.';
  return fault(`Can't use the mail server: ${reasonOf(error)}`, remedy);
}
