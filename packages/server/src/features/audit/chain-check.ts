// Checks a chain entry by entry: each must have the next number, link to the one before, and match
// its own hash and any anchors for it. Only the hash of the last checked entry is kept in memory.
import { GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { rowHash } from '../../doors/audit-chain.ts';
import type { AuditRow } from './rows.ts';

/** The part of a verified anchor that the check compares with the chain. */
export type AnchoredRow = { seq: number; hash: string; count: number; anchoredAt: string };

export type ChainFault = { seq: number; reason: string };

type ChainCheck = {
  readonly checked: number;
  /** The hash of the last entry checked. */
  readonly hash: string;
  take(row: AuditRow): ChainFault | null;
  /**
   * Call this after the last entry. If there is an anchor for a later entry, the log has been
   * truncated.
   */
  end(): ChainFault | null;
};

/** `anchored` is sorted by `seq`, and may contain several anchors for one entry. */
export function createChainCheck(anchored: readonly AnchoredRow[]): ChainCheck {
  let checked = 0;
  let hash = GENESIS_HASH;
  let nextAnchor = 0;

  /**
   * Each hash covers all earlier entries, so an entry after the last matching anchor must have been
   * changed.
   */
  function anchorFault(): string | null {
    for (; anchored[nextAnchor]?.seq === checked; nextAnchor += 1) {
      const anchor = anchored[nextAnchor];
      if (anchor && (anchor.hash !== hash || anchor.count !== checked)) {
        const last = anchored.findLast(({ seq }) => seq < checked)?.seq ?? 0;
        return (
          `The entry differs from the one anchored at ${anchor.anchoredAt}: ` +
          `the chain was rewritten after entry ${last}.`
        );
      }
    }
    return null;
  }

  return {
    get checked() {
      return checked;
    },
    get hash() {
      return hash;
    },
    take(row) {
      const reason = faultIn(row, checked + 1, hash);
      if (reason) return { seq: checked + 1, reason };
      checked += 1;
      hash = row.hash;
      const rewritten = anchorFault();
      return rewritten === null ? null : { seq: checked, reason: rewritten };
    },
    end() {
      const last = anchored.at(-1);
      if (!last || last.seq <= checked) return null;
      const reason = `Entries up to ${last.seq} were anchored at ${last.anchoredAt}, but the end of the chain has been cut off.`;
      return { seq: checked + 1, reason };
    },
  };
}

function faultIn(row: AuditRow, seq: number, prevHash: string): string | null {
  if (row.seq !== seq) return 'An entry is missing.';
  if (row.prevHash !== prevHash) return 'The entry does not link to the previous one.';
  if (rowHash(row) !== row.hash) return 'The entry does not match its hash.';
  // The hash doesn't cover the `env` column, but this column decides which principals see the
  // entry.
  if (row.env !== envIn(row.payload)) return "The entry's environment does not match its payload.";
  return null;
}

function envIn(payload: string): unknown {
  try {
    const { env = null } = JSON.parse(payload);
    return env;
  } catch {
    return undefined; // not JSON even though its hash is right, so it matches no environment
  }
}
