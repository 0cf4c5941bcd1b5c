// I1 to I3: the audit log's hash chain is valid, and contains one row per change, in real-time
// order.
import { type ChainedFields, GENESIS_HASH } from '@keyrail/protocol/wire/audit-chain.ts';
import { hashOfRow } from '@keyrail/protocol/wire/audit-hash.ts';
import {
  type Body,
  type Check,
  Findings,
  groupsOf,
  isOk,
  mayBeDone,
  type Op,
  textOf,
} from '../history.ts';

/** The audit row that each kind of operation writes. */
const ACTIONS: Record<string, string> = {
  'key.create': 'api_key.created',
  'key.patch': 'api_key.updated',
  'key.rotate': 'api_key.rotated',
  'key.revoke': 'api_key.revoked',
  'tenant.create': 'tenant.created',
  'tenant.delete': 'tenant.deleted',
  'tenant.end_embed': 'tenant.embed_tokens_revoked',
  'project.limits': 'project.updated',
  'secret.create': 'secret_key.created',
  'secret.revoke': 'secret_key.revoked',
  'member.role': 'workspace_member.role_changed',
};
/** Operations that, when repeated, change nothing and write no audit row. */
const IDEMPOTENT = new Set(['key.revoke', 'secret.revoke', 'member.role']);

export const I1: Check = ({ audit, workspaceId }) => {
  const found = new Findings();
  let previous = GENESIS_HASH;
  for (const [at, row] of audit.entries()) {
    const { seq, prev_hash, hash } = row;
    const sum = hashOfRow(workspaceId, row as ChainedFields); // a row as returned by the API
    found.expect(
      seq === at + 1 && prev_hash === previous && hash === sum,
      () => `audit row ${at + 1} has seq ${seq} and breaks the chain`,
    );
    previous = String(hash);
  }
  return found;
};

/** The ID of the object an operation changed; empty if a creation got no response. */
const targetOf = ({ kind, args, body }: Op): string =>
  kind.endsWith('.create') ? textOf(body, 'id') : String(args.id);

const actionOf = ({ kind }: Op): string => ACTIONS[kind] ?? '';

export const I2: Check = ({ ops, audit, auditBefore }) => {
  const found = new Findings();
  const writes = groupsOf(
    ops.filter((op) => actionOf(op) !== ''),
    actionOf,
  );
  const rows = groupsOf(audit.slice(auditBefore), ({ action }) => String(action));
  for (const action of new Set([...writes.keys(), ...rows.keys()])) {
    compare({ action, done: writes.get(action) ?? [], rows: rows.get(action) ?? [] }, found);
  }
  return found;
};

/**
 * Whether the key had already been revoked because its tenant was deleted, so that this revocation
 * changed nothing.
 */
const wasEndedBefore = ({ kind, body }: Op): boolean =>
  kind === 'key.revoke' && body.revoked_reason === 'tenant deleted';

type Compared = { action: string; done: Op[]; rows: Body[] };

function compare({ action, done, rows }: Compared, found: Findings): void {
  const rowsOf = groupsOf(rows, ({ target_id }) => String(target_id));
  const known = groupsOf(
    done.filter((op) => isOk(op) || targetOf(op) !== ''),
    targetOf,
  );
  for (const [target, each] of known) {
    const written = rowsOf.get(target)?.length ?? 0;
    rowsOf.delete(target);
    const sure = each.filter((op) => isOk(op) && !wasEndedBefore(op)).length;
    const most = each.filter(mayBeDone).length;
    const isRepeatable = each.some(({ kind }) => IDEMPOTENT.has(kind));
    const isOnce = isRepeatable && action !== ACTIONS['member.role'];
    const least = isRepeatable ? Math.min(isOnce ? 1 : 0, sure) : sure;
    found.expect(
      written >= least && written <= (isOnce ? Math.min(1, most) : most),
      () => `${action} ${target}: ${written} audit rows, ${sure} done, ${most} perhaps done`,
    );
  }
  const unnamed = done.filter((op) => op.outcome === 'unknown' && targetOf(op) === '').length;
  const others = [...rowsOf.values()].flat().length;
  found.expect(
    others <= unnamed,
    () => `${action}: ${others} rows match no operation; at most ${unnamed} expected`,
  );
}

export const I3: Check = ({ ops, audit }) => {
  const found = new Findings();
  for (const [at, row] of audit.entries()) {
    const before = audit[at - 1];
    if (!before) continue;
    found.expect(
      textOf(row, 'occurred_at') >= textOf(before, 'occurred_at'),
      () => `audit row ${at + 1} has an earlier time than the row before it`,
    );
  }
  const placed = placedIn(audit, ops).toSorted((a, b) => a.op.t0 - b.op.t0);
  const ended = placed.toSorted((a, b) => a.op.t1 - b.op.t1);
  let next = 0;
  let highest = 0;
  for (const { op, seq } of placed) {
    for (; (ended[next]?.op.t1 ?? Number.POSITIVE_INFINITY) < op.t0; next += 1) {
      highest = Math.max(highest, ended[next]?.seq ?? 0);
    }
    found.expect(
      seq > highest,
      () => `${op.kind} has audit row ${seq}, but an earlier change has row ${highest}`,
    );
  }
  return found;
};

/** Operations that match exactly one audit row, each with that row's position. */
function placedIn(audit: readonly Body[], ops: readonly Op[]): { op: Op; seq: number }[] {
  const nameOf = (action: unknown, target: unknown) => `${action} ${target}`;
  const rows = groupsOf(audit, ({ action, target_id }) => nameOf(action, target_id));
  const writes = groupsOf(
    ops.filter((op) => actionOf(op) !== '' && mayBeDone(op) && targetOf(op) !== ''),
    (op) => nameOf(actionOf(op), targetOf(op)),
  );
  return [...writes].flatMap(([name, [op, ...more]]) => {
    const [row] = rows.get(name) ?? [];
    const isSure = op && isOk(op) && more.length === 0 && row;
    return isSure ? [{ op, seq: Number(row.seq) }] : [];
  });
}
