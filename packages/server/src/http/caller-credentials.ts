// How a process checks the credentials of its callers.
import { type Credentials, tokenCheck } from '../access/authenticate.ts';
import { embedPrincipal } from '../signing/embed-token.ts';
import type { SecretKeyAuth } from '../access/secret-key-auth.ts';
import { sessionPrincipal } from '../access/session.ts';
import type { SigningKeys } from '../signing/keys.ts';
import type { Log } from '../base/log.ts';
import type { Secret } from '../base/secret.ts';
import type { Tracing } from '../base/tracing.ts';
import type { Gate } from '../doors/gate.ts';
import { tracedCredentials } from './traced-requests.ts';

type CredentialSettings = {
  bootstrapToken: Secret | null;
  publicUrl: string;
  embedKeysMax: number;
  log: Log;
  tracing: Tracing | null;
};

type CredentialParts = { gate: Gate; secretKeyAuth: SecretKeyAuth; signingKeys: SigningKeys };

export function callerCredentials(
  { bootstrapToken, publicUrl: issuer, embedKeysMax: keysMax, log, tracing }: CredentialSettings,
  { gate, secretKeyAuth, signingKeys }: CredentialParts,
): Credentials {
  const credentials: Credentials = {
    secretKey: secretKeyAuth.principalOf,
    session: (token) => sessionPrincipal({ gate, log }, token),
    embedToken: (token) => embedPrincipal({ gate, signingKeys, issuer, keysMax }, token),
    isBootstrap: tokenCheck(bootstrapToken),
  };
  return tracing ? tracedCredentials(credentials, tracing) : credentials;
}
