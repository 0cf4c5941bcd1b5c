// Identical concurrent reads share a statement. A read's result depends only on its role, scope and
// statement, so identical reads get the same result.
import { shared } from '../base/coalesce.ts';
import { deadlineAfter } from '../base/deadline.ts';
import type { Answer, Database, Opening, Statement } from './database.ts';
import { preparedName } from './wire-format.ts';

/** Reads share a statement only if their deadlines are this close together. */
const DEADLINE_STEP_MS = 500;

export function withSharedReads(db: Database): Database {
  const share = shared<Answer>();
  return {
    ...db,
    once: (opening, statement) => {
      if (opening.role !== 'kr_read') return db.once(opening, statement);
      // One deadline for the whole read, because a deadline that restarted at every step would
      // delay the other callers.
      const bounded = { ...opening, deadline: deadlineAfter(opening.deadline.remainingMs()) };
      return share(nameOf(bounded, statement), () => db.once(bounded, statement));
    },
  };
}

/**
 * Returns the same name for reads with the same statement, values, scope and options whose
 * deadlines are close together.
 */
function nameOf(opening: Opening, { text, values }: Statement): string {
  const { scope, readOnly, repeatable, deadline } = opening;
  const { workspaceId, envs, tenantId, projectIds, userId } = scope;
  const reach = `${workspaceId} ${envs} ${tenantId} ${projectIds} ${userId}`;
  const options = `${readOnly} ${repeatable}`;
  const steps = Math.round(deadline.remainingMs() / DEADLINE_STEP_MS);
  const given = values.length === 0 ? '' : JSON.stringify(values, spelled);
  return `${preparedName(text)} ${reach} ${options} ${steps} ${given}`;
}

/** JSON can't represent bigints, and writes NaN and infinity as null. */
const spelled = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
    ? { number: String(value) }
    : value;
