// Checks embed tokens after authentication: a token must be sent from an allowed origin and have
// the endpoint's scope, and a request to create one must not come from a browser.

import type { embedEndpoints } from '@keyrail/protocol/endpoints/embed.ts';
import type { Auth } from '@keyrail/protocol/wire/auth.ts';
import { ApiError, forbidden } from '../base/errors.ts';
import type { Principal } from './principal.ts';

type EmbedLine = keyof typeof embedEndpoints;

const scopeOfLine: Record<EmbedLine, 'keys:read' | 'keys:write'> = {
  'GET /v1/embed/session': 'keys:read',
  'GET /v1/embed/keys': 'keys:read',
  'POST /v1/embed/keys': 'keys:write',
  'POST /v1/embed/keys/{id}/rotate': 'keys:write',
  'POST /v1/embed/keys/{id}/revoke': 'keys:write',
  'GET /v1/embed/keys/{id}/usage': 'keys:read',
};

const isEmbedLine = (line: string): line is EmbedLine => Object.hasOwn(scopeOfLine, line);

/** Only browsers send an Origin header, and a secret key must never be in a browser. */
export function refuseMintingPage(auth: Auth, origin: string | undefined): void {
  if (auth !== 'minting' || origin === undefined) return;
  throw forbidden('Embed tokens can only be created by a backend. Remove the Origin header.');
}

/** Origins are compared exactly: no case folding, no wildcards. A missing origin never matches. */
export function refuseBeyondToken(
  principal: Principal,
  line: string,
  origin: string | undefined,
): void {
  if (principal.kind !== 'embed' || !isEmbedLine(line)) return;
  if (origin === undefined || !principal.origins.includes(origin)) {
    throw new ApiError('origin_not_allowed');
  }
  const needed = scopeOfLine[line];
  if (!principal.scopes.includes(needed)) {
    throw new ApiError('insufficient_scope', undefined, { missingScopes: [needed] });
  }
}
