// The preview door: runs an operation's checks and measures the impact its change would have, in a
// read-only transaction, with a role that can only select.
import type { Impact } from '@keyrail/protocol/objects/impact.ts';
import type { Deadline } from '../base/deadline.ts';
import type { Database, Statement } from '../db/database.ts';
import type { Check, Foreseen, Plan } from './plan.ts';
import { type Reach, scopeOf } from './reach.ts';

export type PreviewParts = {
  db: Database;
  measureImpact(tx: Check, foreseen: Foreseen): Promise<Impact>;
};

export type OpenPreview = <T>(operation: (tx: Check) => Promise<Plan<T>>) => Promise<Impact>;

/** The checks and the impact use one database snapshot. */
export const openPreview =
  ({ db, measureImpact }: PreviewParts, reach: Reach, deadline: Deadline): OpenPreview =>
  (operation) =>
    db.transaction(
      { role: 'kr_read', scope: scopeOf(reach), deadline, repeatable: true },
      async ({ run, now }) => {
        const tx: Check = { reach, run, now, isDryRun: true };
        const { foreseen } = await operation(tx);
        if (foreseen.meta) await run(refuseMetaBeyond(foreseen.meta));
        return { kind: 'rollback', result: await measureImpact(tx, foreseen) };
      },
    );

/**
 * Checks the size limit of `meta`. The database checks it at commit, which a dry run never reaches.
 */
const refuseMetaBeyond = ({ stored, replacedBytes }: NonNullable<Foreseen['meta']>): Statement => ({
  text: 'select refuse_meta_beyond($1, $2) is null as fits',
  values: [replacedBytes, Buffer.byteLength(JSON.stringify(stored))],
});
