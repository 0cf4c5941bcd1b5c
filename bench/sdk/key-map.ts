// The baseline for decisions: the same keys in a `Map`, by their SHA-256 in hex. This is what an
// app without Keyrail might keep in memory.
import { hash } from 'node:crypto';
import { entryOf } from './keys.ts';

type HeldKey = {
  keyId: string;
  tenantId: string;
  env: string;
  scopes: ReadonlySet<string>;
  expiresAt: number;
  limits: readonly object[];
};

type KeyMap = { get(text: string): HeldKey | undefined };

export function createKeyMap(keys: number): KeyMap {
  const held = new Map<string, HeldKey>();
  const scopeSets = new Map<string, ReadonlySet<string>>();
  const scopesOf = (scopes: string[]): ReadonlySet<string> => {
    const name = scopes.join(' ');
    const known = scopeSets.get(name) ?? new Set(scopes);
    scopeSets.set(name, known);
    return known;
  };
  const limits = entryOf(0).rate_limits;
  for (let number = 0; number < keys; number += 1) {
    const { lookup_hash, key_id, tenant_id, env, scopes, expires_at } = entryOf(number);
    held.set(lookup_hash, {
      keyId: key_id,
      tenantId: tenant_id,
      env,
      scopes: scopesOf(scopes),
      expiresAt: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
      limits,
    });
  }
  return { get: (text) => held.get(hash('sha256', text, 'hex')) };
}
