// How a process checks its callers' credentials.
import { type Credentials, tokenCheck } from '../access/authenticate.ts';
import { embedPrincipal } from '../access/embed-principal.ts';
import type { Lookups } from '../access/gate.rows.ts';
import type { SecretKeyAuth } from '../access/secret-key-auth.ts';
import { sessionPrincipal } from '../access/session.ts';
import type { Log } from '../base/log.ts';
import type { Secret } from '../base/secret.ts';
import type { Tracing } from '../base/tracing.ts';
import type { SigningKeys } from '../signing/keys.ts';
import { tracedCredentials } from './traced-requests.ts';

type CredentialSettings = {
  bootstrapToken: Secret | null;
  publicUrl: string;
  embedKeysMax: number;
  log: Log;
  tracing: Tracing | null;
};

type CredentialParts = {
  lookups: Lookups;
  secretKeyAuth: SecretKeyAuth;
  signingKeys: SigningKeys;
};

export function callerCredentials(
  { bootstrapToken, publicUrl: issuer, embedKeysMax: keysMax, log, tracing }: CredentialSettings,
  { lookups, secretKeyAuth, signingKeys }: CredentialParts,
): Credentials {
  const credentials: Credentials = {
    secretKey: secretKeyAuth.principalOf,
    session: (token) => sessionPrincipal({ lookups, log }, token),
    embedToken: (token) => embedPrincipal({ lookups, signingKeys, issuer, keysMax }, token),
    isBootstrap: tokenCheck(bootstrapToken),
  };
  return tracing ? tracedCredentials(credentials, tracing) : credentials;
}
