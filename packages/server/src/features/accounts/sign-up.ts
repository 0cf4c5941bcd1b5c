import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';
import { emailKeyOf, insertUserIfNew, insertVoidSignUpUnless } from './rows.ts';
import type { SignupPolicy } from './signup-policy.ts';

export type Signup = {
  email: string;
  passwordHash: string;
  name: string | null;
  policy: SignupPolicy;
};

/**
 * Makes an account where there is none and the deployment lets this address have one. Every
 * sign-up runs the same statements, writes rows of the same size and queues one request for a
 * mail, so that neither the answer nor its time says what came of it. A password that was sent for
 * an existing account is not kept.
 */
export async function signUp(tx: People, signup: Signup): Promise<void> {
  const { email, passwordHash, name, policy } = signup;
  const account = {
    id: tx.newId(),
    email,
    emailKey: emailKeyOf(email),
    name,
    passwordHash,
    createdAt: tx.now,
  };
  const isMade = await insertUserIfNew(tx, account, policy);
  await insertVoidSignUpUnless(tx, isMade, account);
  const params = { account: isMade ? ('new' as const) : ('old' as const) };
  await insertMail(tx, { kind: 'sign_up', to: email, params, token: null });
}
