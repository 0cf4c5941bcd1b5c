import { INGEST_AHEAD_MS_MAX, INGEST_WINDOW_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { refuseNamedEnv } from '../../access/boundary.ts';
import type { Principal } from '../../access/principal.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Read } from '../../doors/door.ts';
import { readBody } from './batch-body.ts';
import { type Batch, checkedBatch, DETAILS_MAX } from './batch-check.ts';
import { namedIn, refuseUnknown } from './named-ids.ts';
import { type Charge, listUnknown, updateBudget } from './rows.ts';

type ValidatedBatch = { batch: Batch; now: Date };

/**
 * Validates a telemetry batch: charges the budget, checks the fields, and then looks up the IDs.
 * The charge remains even if the batch is rejected.
 */
export async function validateBatch(
  tx: Read,
  { principal, bytes }: { principal: Principal; bytes: Uint8Array },
  { eventsPerMinute }: { eventsPerMinute: number },
): Promise<ValidatedBatch> {
  const body = readBody(bytes);
  const charge = await updateBudget(tx, { cost: body.cost, eventsPerMinute });
  refuseOverBudget(charge, eventsPerMinute);

  if ('fault' in body) throw body.fault;
  const batch = checkedBatch(body.value);
  refuseAhead(batch, charge.moment);
  refuseNamedEnv(principal, ...batch.events);

  const named = namedIn(batch.events);
  refuseUnknown(await listUnknown(tx, named), named);
  return { batch, now: charge.moment };
}

function refuseOverBudget({ allowed, charged, resetMs }: Charge, eventsPerMinute: number): void {
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(resetMs / SECOND_MS));
  const left = Math.max(0, eventsPerMinute - charged);
  throw new ApiError('rate_limited', undefined, {
    headers: {
      'retry-after': `${seconds}`,
      ratelimit: `"ingest";r=${left};t=${seconds}`,
      'ratelimit-policy': `"ingest";q=${eventsPerMinute};w=${INGEST_WINDOW_SECONDS}`,
    },
  });
}

/**
 * Rejects future events, because a node whose clock is ahead would add usage to months that haven't
 * begun yet.
 */
function refuseAhead({ events }: Batch, now: Date): void {
  const latestMs = now.getTime() + INGEST_AHEAD_MS_MAX;
  const ahead = events.flatMap(({ atMs }, place) => (atMs > latestMs ? [place] : []));
  if (ahead.length === 0) return;
  const message = 'must not be more than an hour in the future';
  throw invalid(
    'body',
    ahead.slice(0, DETAILS_MAX).map((place) => ({ path: `events.${place}.ts`, message })),
  );
}
