// Decides on a key: a pure function of the policy, the key's text and the route's options. The
// checksum comes first, so that a mistyped key costs no hash; then one SHA-256 and one look-up.
import { apiKeyBytes, apiKeyEnv } from '@keyrail/protocol/key-format.ts';
import type { Env, RateLimitRule } from '../api/context.ts';
import type { Decision, DenialReason, Denied, KeyIdentity, RouteOptions } from '../api/decision.ts';
import { digestOf } from '../policy/table/digest.ts';
import { displayPrefixOf, KeyContext, type Knowledge } from './key-context.ts';

const NO_LIMITS: readonly RateLimitRule[] = Object.freeze([]);
const NONE_MISSING: readonly string[] = Object.freeze([]);

export function decide<R>(
  known: Knowledge<R>,
  keyText: string | null | undefined,
  route: RouteOptions,
): Decision<R> {
  if (keyText === null || keyText === undefined || keyText === '') {
    return denied(known, 'missing_key', null);
  }
  const env = typeof keyText === 'string' ? apiKeyEnv(keyText) : null;
  if (env === null) return denied(known, 'malformed_key', null);

  const { policy } = known.standing;
  if (policy === null) return withoutPolicy(known, { keyText, env, route });
  if (policy.projectDeleted) return denied(known, 'project_deleted', unnamed(keyText, env));

  const place = policy.table.find(digestOf(apiKeyBytes));
  if (place === -1) {
    // The feed does not send keys of the other environment, so the key may exist there.
    const isLoaded = policy.env === null || policy.env === env;
    return denied(known, isLoaded ? 'unknown_key' : 'wrong_environment', unnamed(keyText, env));
  }
  const context = new KeyContext<R>(known, keyText, place);
  const { expiresAt } = context;
  if (expiresAt !== null && expiresAt <= known.now()) {
    return denied(known, 'expired', named(context));
  }
  if (route.env !== undefined && route.env !== env) {
    return denied(known, 'wrong_environment', named(context));
  }
  if (route.scopes !== undefined && !hasAll(context.scopes, route.scopes)) {
    const missing = route.scopes.filter((scope) => !context.scopes.has(scope));
    const identity = named(context);
    return { ...denied(known, 'insufficient_scope', identity), missingScopes: missing };
  }
  return { allowed: true, context, limits: KeyContext.limitsOf(context) };
}

type Asked = { keyText: string; env: Env; route: RouteOptions };

/** A cold start without control plane and cache: denied, unless the route has `onNoPolicy`. */
function withoutPolicy<R>(known: Knowledge<R>, { keyText, env, route }: Asked): Decision<R> {
  const identity = unnamed(keyText, env);
  if (route.env !== undefined && route.env !== env) {
    return denied(known, 'wrong_environment', identity);
  }
  if (route.onNoPolicy !== 'allow') return denied(known, 'policy_unavailable', identity);
  const context = new KeyContext<R>(known, keyText, -1);
  return { allowed: true, context, limits: NO_LIMITS };
}

function hasAll(scopes: ReadonlySet<string>, wanted: readonly string[]): boolean {
  for (const scope of wanted) if (!scopes.has(scope)) return false;
  return true;
}

const denied = <R>(
  { standing: { degraded } }: Knowledge<R>,
  reason: DenialReason,
  key: KeyIdentity | null,
): Denied => ({
  allowed: false,
  reason,
  missingScopes: NONE_MISSING,
  degraded,
  key,
});

const unnamed = (keyText: string, env: Env): KeyIdentity => ({
  keyId: null,
  tenantId: null,
  env,
  displayPrefix: displayPrefixOf(keyText),
});

const named = ({ keyId, tenantId, env, displayPrefix }: KeyIdentity): KeyIdentity => ({
  keyId,
  tenantId,
  env,
  displayPrefix,
});
