import { SECOND_MS } from '../../base/duration.ts';
import type { Secret } from '../../base/secret.ts';

const WAIT_MS_MAX = 8 * SECOND_MS;
/**
 * Shorter than the limit for the whole check, so that a failing step is reported by name and not as
 * a timeout.
 */
const STEP_MS_MAX = WAIT_MS_MAX - SECOND_MS;

/**
 * Connects to the mail server, upgrades to TLS if it offers that, and signs in if the URL has a
 * user. Doesn't send an email.
 */
export async function probeSmtp(url: Secret): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: url.reveal(),
    connectionTimeout: STEP_MS_MAX,
    greetingTimeout: STEP_MS_MAX,
    socketTimeout: WAIT_MS_MAX,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
