import type { QueryOf } from '@keyrail/protocol/endpoint.ts';
import type { auditEndpoints } from '@keyrail/protocol/endpoints/audit.ts';
import { parseTimestamp } from '@keyrail/protocol/timestamp.ts';
import { actionsOn } from '../../doors/actions.ts';
import type { Read } from '../../doors/door.ts';
import { type AuditFilter, type AuditRowWithActor, findSeqsAt, listAuditRows } from './rows.ts';

type Query = QueryOf<(typeof auditEndpoints)['GET /v1/audit_logs']>;

type Page = {
  /** The `seq` of the last row on the previous page; null for the first page. */
  lastSeq: number | null;
  limit: number;
};

/** Loads one page of the log. The filters become a set of actions and a range of `seq` values. */
export async function readAuditRows(
  tx: Read,
  query: Query,
  { lastSeq, limit }: Page,
): Promise<AuditRowWithActor[]> {
  const { order } = query;
  const { afterSeq, beforeSeq } = await rangeOf(tx, query);
  return listAuditRows(tx, {
    filter: filterOf(query),
    afterSeq: order === 'asc' ? Math.max(afterSeq, lastSeq ?? 0) : afterSeq,
    beforeSeq: order === 'desc' ? Math.min(beforeSeq, lastSeq ?? beforeSeq) : beforeSeq,
    order,
    limit,
  });
}

async function rangeOf(
  tx: Read,
  { after_seq: afterSeq = 0, from, to }: Query,
): Promise<{ afterSeq: number; beforeSeq: number }> {
  if (from === undefined && to === undefined) {
    return { afterSeq, beforeSeq: Number.MAX_SAFE_INTEGER };
  }
  const found = await findSeqsAt(tx, { from: momentIn(from), to: momentIn(to) });
  return {
    afterSeq: Math.max(afterSeq, (found.from ?? 1) - 1),
    beforeSeq: found.to ?? Number.MAX_SAFE_INTEGER,
  };
}

const momentIn = (text: string | undefined): Date | null =>
  text === undefined ? null : parseTimestamp(text);

/** An action's name starts with its target type, so both filters boil down to a set of actions. */
function filterOf({ actor_id, target_id, target_type, action }: Query): AuditFilter {
  const ofAction = action === undefined ? undefined : actionsNamed(action);
  const ofType = target_type === undefined ? undefined : actionsOn(target_type);
  const actions =
    ofAction && ofType ? ofAction.filter((each) => ofType.includes(each)) : (ofAction ?? ofType);
  return { actorId: actor_id, targetId: target_id, actions };
}

const actionsNamed = (action: string): string[] =>
  action.endsWith('.*') ? actionsOn(action.slice(0, -'.*'.length)) : [action];
