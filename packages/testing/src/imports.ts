// Imports keys issued by another product.
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { IMPORT_KEYS_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Harness, Input } from './harness.ts';

let issued = 0;

/** Returns another product's key, a new one for each call. */
export function foreignKey(): string {
  issued += 1;
  return `sk_live_${lookupHash(`${process.pid} ${issued}`).slice(0, 32)}`;
}

export const importedKey = (text: string, more: Input = {}): Input => ({
  lookup_hash: lookupHash(text),
  display_prefix: text.slice(0, 12),
  ...more,
});

type Place = { project_id: string; tenant_id: string };

/** Imports one live key, in a new project and for a new tenant unless they are passed in. */
export async function importOne(
  { as, given }: Harness,
  { text = foreignKey(), env = 'live', at, ...more }: Input & { text?: string; at?: Place } = {},
) {
  const project_id = at?.project_id ?? (await given.project()).id;
  const tenant_id = at?.tenant_id ?? (await given.tenant()).id;
  const keys = [importedKey(text, { tenant_id, ...more })];
  const { data } = await as.liveKey('POST /v1/keys/import', { project_id, env, keys });
  const [key] = data;
  if (!key) throw new Error('an import returned no key');
  return { text, key };
}

/** Imports live keys into one project for one tenant, in as many calls as needed. */
export async function importMany(
  { as }: Harness,
  { project_id, tenant_id }: Place,
  count: number,
): Promise<void> {
  for (let made = 0; made < count; made += IMPORT_KEYS_MAX) {
    const length = Math.min(IMPORT_KEYS_MAX, count - made);
    const keys = Array.from({ length }, () => importedKey(foreignKey(), { tenant_id }));
    await as.liveKey('POST /v1/keys/import', { project_id, env: 'live', keys });
  }
}
