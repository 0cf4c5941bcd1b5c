// Imports of keys that another product issued.
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import type { Harness, Input } from './harness.ts';

let issued = 0;

/** The text of a key of another product; each call returns a new one. */
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

/** Imports one live key, in a new project and for a new tenant unless they are given. */
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
