// Removes keys from the feed once they have been expired for more than a week. Nodes have rejected
// them since they expired. Safe to run twice: a key that is already retired, or has changed in the
// meantime, is skipped.
import { POLICY_EXPIRED_KEPT_DAYS } from '@keyrail/protocol/wire/limits.ts';
import { DAY_MS, msAfter } from '../../base/duration.ts';
import type { PolicyVersion } from '../../doors/door.ts';
import type { OpenWork, OpenWorkIn } from '../../doors/work.ts';
import { listRetirable, type Retirable, updateRetired } from './upkeep.rows.ts';

export type RetireParts = {
  work: OpenWork;
  workIn: OpenWorkIn;
  announce(versions: readonly PolicyVersion[]): void;
};

const BATCH_MAX = 500;

const longExpired = (now: Date): Date => msAfter(now, -POLICY_EXPIRED_KEPT_DAYS * DAY_MS);

export async function retireKeys(parts: RetireParts): Promise<void> {
  let due: Retirable[];
  do {
    due = await parts.work((tx) =>
      listRetirable(tx, { before: longExpired(tx.now), limit: BATCH_MAX }),
    );
    for (const [workspaceId, keys] of Map.groupBy(due, (key) => key.workspaceId)) {
      const ids = keys.map(({ id }) => id);
      const versions = await parts.workIn(workspaceId)((tx) =>
        updateRetired(tx, ids, longExpired(tx.now)),
      );
      parts.announce(versions);
    }
  } while (due.length === BATCH_MAX);
}
