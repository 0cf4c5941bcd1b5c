// The form for narrowing a secret key. Only the fields that the user has changed are sent.
import type { CallInput } from '@keyrail/client';
import type { Permission } from '@keyrail/protocol/wire/permissions.ts';
import type { Limits } from './limits-fields.tsx';
import { networksIn } from './networks.ts';
import { heldBy, type SecretKey } from './secret-key.ts';
import { texts } from './texts.ts';

export type NarrowForm = {
  permissions: readonly Permission[];
  limits: Limits;
  expiresAt: string | null;
};

type Patch = NonNullable<CallInput<'PATCH /v1/secret_keys/{id}'>['body']>;

export const formOf = (key: SecretKey): NarrowForm => ({
  permissions: heldBy(key),
  limits: { projectIds: key.project_ids ?? [], networks: (key.networks ?? []).join('\n') },
  expiresAt: key.expires_at,
});

/** The permissions that the key would lose. */
export const lostOf = (key: SecretKey, { permissions }: NarrowForm): Permission[] =>
  heldBy(key).filter((one) => !permissions.includes(one));

const isSame = (wanted: readonly string[], current: readonly string[] | null): boolean =>
  JSON.stringify(wanted) === JSON.stringify(current ?? []);

export function patchOf(key: SecretKey, form: NarrowForm): Patch {
  const { projectIds } = form.limits;
  const networks = networksIn(form.limits.networks);
  return {
    ...(lostOf(key, form).length > 0 && { permissions: [...form.permissions] }),
    ...(!isSame(projectIds, key.project_ids) && { project_ids: [...projectIds] }),
    ...(!isSame(networks, key.networks) && { networks }),
    ...(form.expiresAt !== key.expires_at && { expires_at: form.expiresAt }),
  };
}

/** Why the form can't be submitted. The server checks everything else. */
export function whyNotNarrowed(key: SecretKey, form: NarrowForm): string | null {
  const { narrowing } = texts;
  const patch = patchOf(key, form);
  if (Object.keys(patch).length === 0) return narrowing.unchanged;
  if (form.permissions.length === 0) return narrowing.keepPermission;
  if (patch.project_ids?.length === 0) return narrowing.keepProject;
  if (patch.networks?.length === 0) return narrowing.keepNetwork;
  return isLater(key.expires_at, form.expiresAt) ? narrowing.later : null;
}

const isLater = (current: string | null, wanted: string | null): boolean =>
  current !== null && (wanted === null || Date.parse(wanted) > Date.parse(current));
