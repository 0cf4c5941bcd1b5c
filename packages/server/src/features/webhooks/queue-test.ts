import { TEST_EVENT } from '@keyrail/protocol/wire/event-types.ts';
import { MINUTE_MS, msAfter } from '../../base/duration.ts';
import { conflict, rateLimited } from '../../base/errors.ts';
import { type Change, changed, type Write } from '../../doors/door.ts';
import { listAuditRows } from '../audit/rows.ts';
import { lockWorkspace } from '../workspaces/rows.ts';
import { CLAIM_MS } from './attempt-schedule.ts';
import { type DeliveryRow, insertDelivery, isTesting, lockEndpoint } from './rows.ts';

export const DISABLED = 'The endpoint is disabled.';

/** A test delivery that this process sends without the worker. */
export type QueuedTest = { id: string; endpointId: string };

const PER_MINUTE_MAX = 10;

/**
 * Queues an event that only states that it is a test. It is claimed under its own ID for the
 * process that queues it, so that no worker sends it first. Tests are limited to one in progress
 * per endpoint and a few per minute per workspace, because they are sent to hosts that the caller
 * has chosen.
 */
export async function queueTest(tx: Write, endpointId: string): Promise<Change<DeliveryRow>> {
  // The lock makes sure that concurrent tests in a workspace are all counted.
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
