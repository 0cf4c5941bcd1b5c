// The verdict on a key: a pure function of what is known, the key's text, and what a route asks.
// Checksum first, so that a mistyped key costs no hash; then one SHA-256 and one look-up.
import { apiKeyEnv } from '@keyrail/protocol/key-format.ts';
import type { Env, RateLimitRule } from './context.ts';
import type { Decision, DenialReason, Denied, KeyIdentity, RouteOptions } from './decision.ts';
import { displayPrefixOf, KeyContext, type Knowledge } from './key-context.ts';
import { KEY_ID_AT, SCOPES_AT, TENANT_ID_AT } from './policy/rows.ts';
import type { PolicyTable } from './policy/table.ts';
import { digestOf, idText } from './policy/words.ts';

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

  const { table } = policy;
  const row = table.find(digestOf(keyText));
  if (row === -1) {
    // Keys of the other environment are not told to this node, so nothing more can be said.
    const isTold = policy.env === null || policy.env === env;
    return denied(known, isTold ? 'unknown_key' : 'wrong_environment', unnamed(keyText, env));
  }
  const expiresAt = table.expiresAt(row);
  if (expiresAt !== Number.POSITIVE_INFINITY && expiresAt <= known.now()) {
    return denied(known, 'expired', named({ table, row, keyText, env }));
  }
  if (route.env !== undefined && route.env !== env) {
    return denied(known, 'wrong_environment', named({ table, row, keyText, env }));
  }
  const scopes = table.scopes(row);
  if (route.scopes !== undefined && !hasAll(scopes, route.scopes)) {
    const missing = route.scopes.filter((scope) => !scopes.has(scope));
    const identity = named({ table, row, keyText, env });
    return { ...denied(known, 'insufficient_scope', identity), missingScopes: missing };
  }
  const context = new KeyContext<R>(known, keyText, row);
  return { allowed: true, context, limits: table.limits(row) };
}

type Asked = { keyText: string; env: Env; route: RouteOptions };

/** A cold start with neither control plane nor cache: refused, unless the route says otherwise. */
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

type Row = { table: PolicyTable; row: number; keyText: string; env: Env };

function named({ table: { rows }, row, keyText, env }: Row): KeyIdentity {
  const words = rows.wordsOf(row);
  const start = rows.startOf(row);
  return {
    ...unnamed(keyText, env),
    keyId: idText(words.subarray(start + KEY_ID_AT, start + TENANT_ID_AT)),
    tenantId: idText(words.subarray(start + TENANT_ID_AT, start + SCOPES_AT)),
  };
}
