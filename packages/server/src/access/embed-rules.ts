// What the embed plane asks beyond a valid credential: of a token, the page it is presented from
// and the scope that the line needs; of whoever mints one, not to be a page at all.
import type { Auth } from '@keyrail/protocol/endpoint.ts';
import type { embedEndpoints } from '@keyrail/protocol/endpoints/embed.ts';
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

/** Whatever it says: only a browser sends an origin, and a secret key has no business there. */
export function refuseMintingPage(auth: Auth, origin: string | undefined): void {
  if (auth !== 'minting' || origin === undefined) return;
  throw forbidden('Embed tokens are minted by backends: send no Origin header.');
}

/** Origins are compared as they are: no folding, no wildcard, and none is not any. */
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
