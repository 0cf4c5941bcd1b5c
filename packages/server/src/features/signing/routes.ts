// The public halves of the signing keys, for verifying embed tokens.
import { probeEndpoints } from '@keyrail/protocol/endpoints/probes.ts';
import { JWKS_MAX_AGE_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { linesOf, Reply, type ServedRoute, serve } from '../../http/route.ts';
import type { SigningKeys } from '../../signing/keys.ts';
import { presentJwks } from './present.ts';

const signingEndpoints = linesOf(probeEndpoints, 'GET /.well-known/jwks.json');

const headers = { 'cache-control': `public, max-age=${JWKS_MAX_AGE_SECONDS}` };

export const signingRoutes = ({ signingKeys }: { signingKeys: SigningKeys }): ServedRoute[] =>
  serve(signingEndpoints, {
    'GET /.well-known/jwks.json': {
      boundary: 'none',
      door: 'none',
      run: async () => new Reply(presentJwks(await signingKeys.published()), { headers }),
    },
  });
