import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { MINUTE_MS, msAfter } from '../../base/duration.ts';
import { conflict, rateLimited } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { listAuditRows } from '../audit/rows.ts';
import { lockWorkspace } from '../workspaces/rows.ts';
import { CLAIM_MS } from './attempt-schedule.ts';
import { type DeliveryRow, insertDelivery, isTesting, lockEndpoint } from './rows.ts';

export const DISABLED = 'The endpoint is disabled.';

/** A test delivery that this process sends itself instead of leaving it to a worker. */
export type QueuedTest = { id: string; endpointId: string };

const PER_MINUTE_MAX = 10;

/**
 * Queues an event that only says it is a test. It is queued with a claim (the delivery's own ID),
 * so that no worker sends it before this process does. Tests go to hosts chosen by the caller, so
 * each endpoint may have only one test in progress, and each workspace only a few per minute.
 */
export async function queueTest(tx: Write, endpointId: string): Promise<Change<DeliveryRow>> {
  // The lock makes sure that all concurrent tests in a workspace are counted.
  await lockWorkspace(tx);
  const { disabledAt, env } = await lockEndpoint(tx, endpointId);
  if (disabledAt !== null) throw conflict(DISABLED);
  if (await isTesting(tx, endpointId))
    throw conflict('A test of this endpoint is already in progress.');
  await refuseBeyondMinute(tx);
  const id = tx.newId();
  const delivery = await insertDelivery(tx, {
    id,
    endpointId,
    env,
    type: TEST_EVENT,
    notice: { object: 'webhook_test', endpoint_id: endpointId },
    state: 'pending',
    attempts: 0,
    dueAt: tx.now,
    claim: id,
    claimedUntil: msAfter(tx.now, CLAIM_MS),
    createdAt: tx.now,
  });
  return changed(delivery, {
    action: 'webhook_endpoint.tested',
    target: endpointId,
    payload: { delivery_id: delivery.id },
  });
}

async function refuseBeyondMinute(tx: Write): Promise<void> {
  const sent = await listAuditRows(tx, {
    filter: { actions: ['webhook_endpoint.tested'] },
    afterSeq: 0,
    beforeSeq: Number.MAX_SAFE_INTEGER,
    order: 'desc',
    limit: PER_MINUTE_MAX,
  });
  const oldest = sent[PER_MINUTE_MAX - 1];
  const waitMs = oldest ? oldest.occurredAt.getTime() + MINUTE_MS - tx.now.getTime() : 0;
  if (waitMs > 0) throw rateLimited(waitMs);
}
