import { SECOND_MS } from '../../base/duration.ts';
import type { Secret } from '../../base/secret.ts';

const WAIT_MS_MAX = 8 * SECOND_MS;
/**
 * Shorter than the limit for the whole check, so that if a step hangs, the error names that step
 * instead of the whole check.
 */
const STEP_MS_MAX = WAIT_MS_MAX - SECOND_MS;

/**
 * Connects to the mail server, upgrades to TLS if the server offers it, and signs in if the URL
 * contains a username. Doesn't send any email.
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
