import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';

/**
 * Queues a request for a reset link. The account is not looked up here, so that neither the
 * response nor its time depends on it. The worker drops the request if there is no account.
 */
export const requestPasswordReset = (tx: People, email: string): Promise<void> =>
  insertMail(tx, { kind: 'password_reset_request', to: email, params: {}, token: null });
