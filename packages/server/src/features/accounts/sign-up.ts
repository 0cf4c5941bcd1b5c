import type { People } from '../../doors/people.ts';
import { insertMail } from '../mail/rows.ts';
import { emailKeyOf, insertUserIfNew, insertVoidSignUpUnless } from './rows.ts';
import type { SignupPolicy } from './signup-policy.ts';

type Signup = {
  email: string;
  passwordHash: string;
  name: string | null;
  policy: SignupPolicy;
};

/**
 * Creates an account if there is none and the sign-up policy allows this address. Every sign-up
 * runs the same statements, writes rows of the same size and queues one email request, so that
 * neither the response nor its timing reveals the outcome. A password sent for an existing account
 * is discarded.
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
