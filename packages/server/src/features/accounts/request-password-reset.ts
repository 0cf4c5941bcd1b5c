import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';

/**
 * Queues a request for a reset link. Whether the address has an account is not even looked up
 * here, so that neither the answer nor its time depends on it: the worker does, and drops the
 * request if there is none.
 */
export const requestPasswordReset = (tx: People, email: string): Promise<void> =>
  insertMail(tx, { kind: 'password_reset_request', to: email, params: {}, token: null });
