// Reads that are alike share a statement. What a reader may see is settled by scope and statement
// alone, so whoever sends both alike would get the same answer.
import { deadlineAfter } from '../base/deadline.ts';
import { type Sharing, sharing } from '../base/sharing.ts';
import type { Answer, Database, Opening, Statement } from './database.ts';
import { preparedName } from './prepared.ts';

/** Whose patience differs by more asks alone: nobody is hurried by another, or kept by one. */
const PATIENCE_STEP_MS = 500;

export function sharingReads(db: Database): Database {
  const share: Sharing<Answer> = sharing();
  return {
    ...db,
    once: (opening, statement) => {
      if (opening.role !== 'kr_read') return db.once(opening, statement);
      // One that begins anew with every step would keep those who share it.
      const bounded = { ...opening, deadline: deadlineAfter(opening.deadline.remainingMs()) };
      return share(nameOf(bounded, statement), () => db.once(bounded, statement));
    },
  };
}

/** Two that share a name differ in nothing that the store is told, and have about as long. */
function nameOf(opening: Opening, { text, values }: Statement): string {
  const { scope, readOnly, repeatable, deadline } = opening;
  const { workspaceId, envs, tenantId, projectId, userId } = scope;
  const whose = `${workspaceId} ${envs} ${tenantId} ${projectId} ${userId}`;
  const how = `${readOnly} ${repeatable}`;
  const patience = Math.round(deadline.remainingMs() / PATIENCE_STEP_MS);
  const told = values.length === 0 ? '' : JSON.stringify(values, spelled);
  return `${preparedName(text)} ${whose} ${how} ${patience} ${told}`;
}

/** JSON has no word for some numbers: it refuses them, or takes them for nothing. */
const spelled = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
    ? { number: String(value) }
    : value;
