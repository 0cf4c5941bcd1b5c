// Decides whether to allow a key: a pure function of the policy, the full key and the route's
// options. A known key costs one SHA-256 and one lookup. A known key's checksum is not compared,
// because no other string has the same hash. For an unknown string, the checksum distinguishes a
// typo from an unknown key. Imported keys have no checksum, so any printable string may be one.
import { isImportable } from '@keyrail/protocol/wire/imported-key.ts';
import { API_KEY_CHARS, apiKeyEnv } from '@keyrail/protocol/wire/key-format.ts';
import type { Env, RateLimitRule, RequestContext, UnverifiedContext } from '../api/context.ts';
import type { Decision, DenialReason, Denied, KeyIdentity } from '../api/decision.ts';
import type { RouteOptions } from '../api/route.ts';
import { digestOf } from '../policy/table/digest.ts';
import { AllowedKey, type FoundKey, foundAt, type Inputs } from './allowed-key.ts';
import { displayPrefixOf, UnverifiedKey } from './key-context.ts';

const [K, R, UNDERSCORE] = Buffer.from('kr_');
const NO_LIMITS: readonly RateLimitRule[] = Object.freeze([]);
const NONE_MISSING: readonly string[] = Object.freeze([]);

type KeyDecision<R> = Decision<RequestContext<R> | UnverifiedContext<R>>;

export function decide<R>(
  inputs: Inputs<R>,
  keyText: string | null | undefined,
  route: RouteOptions,
): KeyDecision<R> {
  if (keyText === null || keyText === undefined || keyText === '') {
    return denied(inputs, 'missing_key', null);
  }
  const { policy } = inputs.state;
  if (policy !== null && !policy.projectDeleted && hasNativeForm(keyText)) {
    const place = policy.table.find(digestOf(keyText));
    if (place !== -1) {
      const key = foundAt(inputs, keyText, place);
      if (!key.isImported) return checked(inputs, key, route);
    }
  }
  const env = typeof keyText === 'string' ? apiKeyEnv(keyText) : null;
  if (env === null) return withoutFormat(inputs, keyText, route);
  if (policy === null) return withoutPolicy(inputs, { keyText, env, route });
  if (policy.projectDeleted) return denied(inputs, 'project_deleted', unnamed(keyText, env));
  // If the policy covers only the other environment, this key may exist but is not loaded.
  const isLoaded = policy.env === null || policy.env === env;
  return notFound(inputs, isLoaded ? 'unknown_key' : 'wrong_environment', unnamed(keyText, env));
}

/**
 * Whether a string has a native key's length and prefix. Other strings may be hashed in
 * `withoutFormat`.
 */
const hasNativeForm = (keyText: unknown): keyText is string =>
  typeof keyText === 'string' &&
  keyText.length === API_KEY_CHARS &&
  keyText.charCodeAt(0) === K &&
  keyText.charCodeAt(1) === R &&
  keyText.charCodeAt(2) === UNDERSCORE;

/**
 * Handles a string that isn't a native key, and hashes it only if the policy has imported keys.
 * Nothing about an unknown string is reported, because it may be a credential for another service.
 */
function withoutFormat<R>(
  inputs: Inputs<R>,
  keyText: unknown,
  route: RouteOptions,
): KeyDecision<R> {
  const { policy } = inputs.state;
  const mayBeImported = policy !== null && policy.table.ids.importedSize > 0;
  if (!mayBeImported || typeof keyText !== 'string' || !isImportable(keyText)) {
    return denied(inputs, 'malformed_key', null);
  }
  if (policy.projectDeleted) return denied(inputs, 'project_deleted', null);
  const place = policy.table.find(digestOf(keyText));
  if (place === -1) return notFound(inputs, 'unknown_key', null);
  const key = foundAt(inputs, keyText, place);
  return key.isImported ? checked(inputs, key, route) : denied(inputs, 'unknown_key', null);
}

/** Decides whether to allow a key that is in the policy. */
function checked<R>(inputs: Inputs<R>, found: FoundKey<R>, route: RouteOptions): KeyDecision<R> {
  const key = new AllowedKey(found);
  if (found.isTooOld) return denied(inputs, 'policy_unavailable', named(key.context));
  if (found.isExpired) return denied(inputs, 'expired', named(key.context));
  if (route.env !== undefined && route.env !== key.env) {
    return denied(inputs, 'wrong_environment', named(key.context));
  }
  if (route.scopes !== undefined && route.scopes.length > 0) {
    const missingScopes = key.missing(route.scopes);
    if (missingScopes.length > 0) {
      return { ...denied(inputs, 'insufficient_scope', named(key.context)), missingScopes };
    }
  }
  return key;
}

type Unchecked = { keyText: string; env: Env; route: RouteOptions };

/**
 * After a cold start without the control plane or a cache, a key is denied unless the route sets
 * `onNoPolicy`.
 */
function withoutPolicy<R>(inputs: Inputs<R>, { keyText, env, route }: Unchecked): KeyDecision<R> {
  const identity = unnamed(keyText, env);
  if (route.env !== undefined && route.env !== env) {
    return denied(inputs, 'wrong_environment', identity);
  }
  if (route.onNoPolicy !== 'allow') return denied(inputs, 'policy_unavailable', identity);
  const { projectId, resources, state } = inputs;
  const context = new UnverifiedKey({
    projectId,
    env,
    displayPrefix: identity.displayPrefix,
    degraded: state.look().degraded,
    resources: resources[env],
  });
  return { allowed: true, context, limits: NO_LIMITS };
}

const denied = <R>(
  { state }: Inputs<R>,
  reason: DenialReason,
  key: KeyIdentity | null,
): Denied => ({
  allowed: false,
  reason,
  missingScopes: NONE_MISSING,
  degraded: state.look().degraded,
  key,
});

/** A policy that is too old may lack a key that exists. */
const notFound = <R>(inputs: Inputs<R>, reason: DenialReason, key: KeyIdentity | null): Denied =>
  denied(inputs, inputs.state.look().tooOld ? 'policy_unavailable' : reason, key);

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
