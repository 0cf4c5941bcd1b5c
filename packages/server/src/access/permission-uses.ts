// Records which permissions each secret key uses, so that the key can be narrowed to them.
import type { Endpoint } from '@keyrail/protocol/endpoint.ts';
import { HOUR_MS } from '@keyrail/protocol/wire/durations.ts';
import { SECRET_KEY_USE_HOURS, TOUCH_INTERVAL_MS } from '@keyrail/protocol/wire/limits.ts';
import { type Permission, permissions } from '@keyrail/protocol/wire/permissions.ts';
import { batched } from '../base/coalesce.ts';
import type { Log } from '../base/log.ts';
import type { Lookups, PermissionUse } from './gate.rows.ts';
import type { Principal } from './principal.ts';
import { isItself } from './secret-key-limits.ts';

const NOTED_KEYS_MAX = 10_000;
const USES_PER_STATEMENT_MAX = 500;
const RECORDED_FOR_MS = SECRET_KEY_USE_HOURS * HOUR_MS;

/**
 * Called for every allowed request, so it neither waits nor allocates unless there is something to
 * record.
 */
export type NotePermission = (
  principal: Principal,
  endpoint: Pick<Endpoint, 'permission' | 'ownKey'>,
  pathId: string | undefined,
) => void;

type Parts = { lookups: Pick<Lookups, 'notePermissions'>; log: Log; nowMs(): number };

/** Call once per process. If a use cannot be recorded, a later request tries again. */
export function createPermissionNotes({ lookups, log, nowMs }: Parts): NotePermission {
  /** For each permission, maps a key's ID to the time after which its use is recorded again. */
  const noted = Object.fromEntries(
    permissions.map((name) => [name, new Map<string, number>()]),
  ) as Record<Permission, Map<string, number>>;
  const batch = batched<PermissionUse, true>({ max: USES_PER_STATEMENT_MAX, inFlightMax: 1 });

  const isNoted = (keyId: string, permission: Permission): boolean =>
    (noted[permission].get(keyId) ?? Number.NEGATIVE_INFINITY) > nowMs();

  function remember({ keyId, permission }: PermissionUse, forMs: number): void {
    const keys = noted[permission];
    keys.delete(keyId);
    keys.set(keyId, nowMs() + forMs);
    if (keys.size <= NOTED_KEYS_MAX) return;
    const [oldest = keyId] = keys.keys();
    keys.delete(oldest);
  }

  async function record(uses: readonly PermissionUse[]): Promise<true[]> {
    await lookups.notePermissions(uses).catch((error) => {
      log.warn({ error }, 'failed to record which permissions secret keys use');
      for (const use of uses) remember(use, TOUCH_INTERVAL_MS);
    });
    return uses.map(() => true);
  }

  return (principal, { permission, ownKey }, pathId) => {
    if (principal.kind !== 'secret_key' || !permission) return;
    const { workspaceId, actor } = principal.reach;
    if (actor.id === null || isNoted(actor.id, permission)) return;
    if (ownKey && isItself(actor, pathId)) return;
    const use = { keyId: actor.id, workspaceId, permission };
    remember(use, RECORDED_FOR_MS);
    void batch('', use, record);
  };
}
