// The form for editing a key. Only the fields the user has changed are sent.
import type { CallInput } from '@keyrail/client';
import type { ApiKey } from '../../parts/key/key.ts';
import { type Limits, limitsOf, needsRule, rulesOf } from '../../ui/controls/limits.ts';

export type KeyForm = {
  name: string;
  scopes: readonly string[];
  limits: Limits;
  expiresAt: string | null;
};

export type KeyPatch = NonNullable<CallInput<'PATCH /v1/keys/{id}'>['body']>;

export const formOf = (key: ApiKey): KeyForm => ({
  name: key.name ?? '',
  scopes: key.scopes,
  limits: limitsOf(key.rate_limits),
  expiresAt: key.expires_at,
});

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function changesOf(key: ApiKey, form: KeyForm): KeyPatch {
  const name = form.name.trim() === '' ? null : form.name.trim();
  const limits = needsRule(form.limits) ? key.rate_limits : rulesOf(form.limits);
  const scopes = [...form.scopes];
  return {
    ...(name !== key.name && { name }),
    ...(!isSame([...scopes].sort(), [...key.scopes].sort()) && { scopes }),
    ...(!isSame(limits, key.rate_limits) && { rate_limits: limits }),
    ...(form.expiresAt !== key.expires_at && { expires_at: form.expiresAt }),
  };
}

export const removedScopes = (key: ApiKey, { scopes }: KeyForm): string[] =>
  key.scopes.filter((scope) => !scopes.includes(scope));

export function endsEarlier({ expires_at }: ApiKey, { expiresAt }: KeyForm): boolean {
  if (expiresAt === null) return false;
  return expires_at === null || Date.parse(expiresAt) < Date.parse(expires_at);
}
