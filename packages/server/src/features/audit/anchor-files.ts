// Reads the anchors that chains are verified against. Each line's signature is checked with the key
// identified by its `kid`. To save memory, files are read line by line, and only a few fields of
// each anchor are kept.
import type { KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { AuditAnchor as WireAnchor } from '@keyrail/protocol/objects/audit.ts';
import { isSignedBy } from '../../signing/anchors.ts';
import type { AnchoredRow } from './chain-check.ts';

export type ReadAnchors = {
  /** The anchored entries of each workspace, keyed by workspace ID and sorted by `seq`. */
  chains: ReadonlyMap<string, readonly AnchoredRow[]>;
  lines: number;
  used: number;
  /**
   * The number of lines that aren't anchors, for example because a crash interrupted an append.
   * They don't count as tampering, because an attacker could simply remove such a line.
   */
  unreadable: number;
  /** Anchors that weren't signed with one of this deployment's keys. */
  refused: { file: string; line: number; reason: string }[];
};

type Wanted = {
  files: readonly string[];
  /** Public keys with the purpose `audit_anchor`, by `kid`. */
  keys: ReadonlyMap<string, KeyObject>;
  /** The only workspace whose anchors are read; null for all workspaces. */
  workspaceId: string | null;
};

/** The maximum number of anchors in memory. Each takes about 200 bytes. */
const ANCHORS_MAX = 2_000_000;
const REFUSED_MAX = 1000;
const LINE_CHARS_MAX = 4096;

export async function readAnchorFiles({ files, keys, workspaceId }: Wanted): Promise<ReadAnchors> {
  const chains = new Map<string, Map<string, AnchoredRow>>();
  const read = { lines: 0, used: 0, unreadable: 0 };
  const refused: ReadAnchors['refused'] = [];
  for (const file of files) {
    for await (const { text, line } of linesOf(file)) {
      read.lines += 1;
      const anchor = anchorIn(text);
      if (anchor === null) {
        read.unreadable += 1;
        continue;
      }
      if (workspaceId !== null && anchor.workspace_id !== workspaceId) continue;
      const rows = chains.get(anchor.workspace_id) ?? new Map<string, AnchoredRow>();
      // A file may contain the same anchor twice, because a destination may receive it twice. The
      // signature is only checked the first time.
      if (rows.has(anchor.signature)) continue;
      const reason = refusalOf(anchor, keys);
      if (reason !== null) {
        if (refused.length < REFUSED_MAX) refused.push({ file, line, reason });
        continue;
      }
      if (read.used === ANCHORS_MAX) throw new Error(tooMany);
      read.used += 1;
      const { seq, hash, count, anchored_at: anchoredAt } = anchor;
      chains.set(anchor.workspace_id, rows.set(anchor.signature, { seq, hash, count, anchoredAt }));
    }
  }
  return {
    chains: new Map([...chains].map(([id, rows]) => [id, inOrder(rows)])),
    refused,
    ...read,
  };
}

const tooMany = `more than ${ANCHORS_MAX} anchors: pass fewer files, or check a single chain with --workspace`;

const inOrder = (rows: ReadonlyMap<string, AnchoredRow>): AnchoredRow[] =>
  [...rows.values()].sort((a, b) => a.seq - b.seq);

function anchorIn(text: string): WireAnchor | null {
  try {
    return WireAnchor.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function refusalOf(anchor: WireAnchor, keys: Wanted['keys']): string | null {
  const key = keys.get(anchor.kid);
  if (!key) return `This deployment has no anchor signing key ${anchor.kid}.`;
  return isSignedBy(anchor, key) ? null : 'The signature does not match the anchor.';
}

/** Reads a file's non-empty lines. Overlong lines are truncated, which makes them unreadable. */
async function* linesOf(file: string): AsyncGenerator<{ text: string; line: number }> {
  let rest = '';
  let line = 0;
  for await (const chunk of createReadStream(file, 'utf8')) {
    const parts = `${rest}${chunk}`.split('\n');
    rest = (parts.pop() ?? '').slice(0, LINE_CHARS_MAX);
    for (const text of parts) {
      line += 1;
      if (text !== '') yield { text: text.slice(0, LINE_CHARS_MAX), line };
    }
  }
  if (rest !== '') yield { text: rest, line: line + 1 };
}
