import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';
import { loadUser } from './rows.ts';

/** Queues a request for another verification link. The worker drops it if the user is verified. */
export async function requestVerification(tx: People, userId: string): Promise<void> {
  const { email } = await loadUser(tx, userId);
  await insertMail(tx, { kind: 'verification_request', to: email, params: {}, token: null });
}
