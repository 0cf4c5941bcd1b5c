// Traffic figures. Counts are already divided by the sample rate, and rounded.
import { z } from 'zod';
import { Env, Uuid } from '../validators.ts';
import { Count, WireDay, WireMonth, WireTime } from './wire.ts';

/** Only days with traffic, ascending. */
export const Usage = z
  .strictObject({
    object: z.literal('usage'),
    key_id: Uuid,
    days: z.int().min(1),
    data: z.array(z.strictObject({ day: WireDay, requests: Count, errors: Count })),
  })
  .meta({ id: 'Usage' });
export type Usage = z.output<typeof Usage>;

/** Live traffic only: a customer counts once a month, whatever the number of projects. */
export const BillableTenantMonth = z
  .strictObject({
    object: z.literal('billable_tenant_month'),
    month: WireMonth,
    active_tenants: Count,
  })
  .meta({ id: 'BillableTenantMonth' });
export type BillableTenantMonth = z.output<typeof BillableTenantMonth>;

export const TenantActivityMonth = z
  .strictObject({
    object: z.literal('tenant_activity_month'),
    tenant_id: Uuid,
    project_id: Uuid,
    env: Env,
    month: WireMonth,
    request_count: Count,
    first_seen_at: WireTime,
    last_seen_at: WireTime,
  })
  .meta({ id: 'TenantActivityMonth' });
export type TenantActivityMonth = z.output<typeof TenantActivityMonth>;
