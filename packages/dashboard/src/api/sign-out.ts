// Signs the person out, in every tab.
import { client } from './client.ts';
import { signedOut } from './session.ts';

const ANSWER_MS_MAX = 3000;

/** The page forgets the session even if the server does not answer. */
export async function signOut(): Promise<void> {
  const limits = { retries: 0, timeoutMs: ANSWER_MS_MAX };
  await client.call('DELETE /v1/auth/sessions/current', limits).catch(() => null);
  signedOut();
}
