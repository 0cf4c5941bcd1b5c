// Queues requests for emails that contain a link. The worker turns each request into an email: see
// resolve-mail-request.ts.
import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';
import { loadUser } from './rows.ts';

/**
 * Queues a request for a reset link. The account is not looked up here, so that neither the
 * response nor its timing depends on it. The worker drops the request if there is no account.
 */
export const requestPasswordReset = (tx: People, email: string): Promise<void> =>
  insertMail(tx, { kind: 'password_reset_request', to: email, params: {}, token: null });

/**
 * Queues a request for a new verification link. The worker drops it if the user is already
 * verified.
 */
export async function requestVerification(tx: People, userId: string): Promise<void> {
  const { email } = await loadUser(tx, userId);
  await insertMail(tx, { kind: 'verification_request', to: email, params: {}, token: null });
}
