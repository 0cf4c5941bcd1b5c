// The data about the deployment that probes and metrics report.
import type { Gate } from '../../doors/gate.ts';
import { openOverview } from '../../doors/work.ts';
import type { DoorParts } from '../../doors/write.ts';
import type { Probe } from '../../http/route.ts';
import { findBackupFacts } from '../backups/gate.rows.ts';
import { findDeploymentFigures, workerIsSeen } from './rows.ts';

type Store = Pick<DoorParts, 'db'>;

export const probeOf = ({ db }: Store, gate: Gate): Probe => ({
  databaseAnswers: (deadline) =>
    db.ping(deadline).then(
      () => true,
      () => false,
    ),
  workerIsSeen: () => workerIsSeen(gate).catch(() => null),
  backupFacts: () => findBackupFacts(gate).catch(() => null),
  storage: db.storage,
});

/** The data for metrics. Errors aren't caught here, because the metrics report them. */
export function figuresOf({ db }: Store, gate: Gate) {
  const overview = openOverview(db);
  return {
    store: db.kind,
    poolUse: db.poolUse,
    storage: db.storage,
    figures: () => findDeploymentFigures(overview),
    backupFacts: () => findBackupFacts(gate),
    workerIsSeen: () => workerIsSeen(gate),
  };
}
