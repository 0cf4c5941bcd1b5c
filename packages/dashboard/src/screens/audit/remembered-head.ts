// The newest row this browser has verified in each workspace. If rows are later removed from the
// end of the log, the next verification detects that, even if the server doesn't report it.
import { SHA256_HEX } from '@keyrail/protocol/wire/sha256-hex.ts';
import { type Head, START } from '../../parts/audit-log/chain.ts';

const nameOf = (workspaceId: string): string => `keyrail.audit-head.${workspaceId}`;

export type RememberedHead = Head & { at: string };

export function rememberedHead(workspaceId: string): RememberedHead | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(nameOf(workspaceId)) ?? 'null');
    return isHead(stored) ? stored : null;
  } catch {
    return null;
  }
}

/** Returns false if the browser blocks storage. */
export function rememberHead(workspaceId: string, { seq, hash }: Head, at: Date): boolean {
  if (seq === START.seq) return true;
  try {
    const stored: RememberedHead = { seq, hash, at: at.toISOString() };
    localStorage.setItem(nameOf(workspaceId), JSON.stringify(stored));
    return true;
  } catch {
    return false;
  }
}

export function forgetHead(workspaceId: string): void {
  try {
    localStorage.removeItem(nameOf(workspaceId));
  } catch {
    // If the browser blocks storage, there is nothing to remove.
  }
}

function isHead(value: unknown): value is RememberedHead {
  if (typeof value !== 'object' || value === null) return false;
  const seq: unknown = Reflect.get(value, 'seq');
  const hash: unknown = Reflect.get(value, 'hash');
  const at: unknown = Reflect.get(value, 'at');
  return (
    Number.isSafeInteger(seq) &&
    typeof hash === 'string' &&
    SHA256_HEX.test(hash) &&
    typeof at === 'string'
  );
}
