import { later } from '../../base/duration.ts';
import { type Change, changed, unchanged, type Write } from '../../doors/door.ts';
import { effectOf, type Patch } from '../../doors/patch.ts';
import { refuseLiveEvents } from './live-events.ts';
import { type EndpointRow, lockEndpoint, updateEndpointRow } from './rows.ts';

type EndpointPatch = Patch<Pick<EndpointRow, 'url' | 'events' | 'env' | 'description'>> & {
  disabled?: boolean | undefined;
};

/** Updates only the fields that differ. Enabling a disabled endpoint resets its failures. */
export async function updateEndpoint(
  tx: Write,
  id: string,
  { disabled, ...patch }: EndpointPatch,
): Promise<Change<EndpointRow>> {
  const current = await lockEndpoint(tx, id);
  if (patch.env !== undefined) refuseLiveEvents(tx.reach, patch.env);
  const { url, events, env, description, disabledAt } = current;
  const fields = { url, events, env, description, disabled: disabledAt !== null };
  const { values, names, payload } = effectOf(fields, { ...patch, disabled });
  if (names.length === 0) return unchanged(current);
  const { disabled: becomesDisabled, ...columns } = values;
  const row = await updateEndpointRow(tx, id, {
    ...columns,
    ...(becomesDisabled !== undefined && {
      disabledAt: becomesDisabled ? tx.now : null,
      disabledReason: null,
      failingSince: null,
    }),
    updatedAt: later(current.updatedAt, tx.now),
  });
  return changed(row, { action: 'webhook_endpoint.updated', target: id, payload });
}
