// Usage metrics. Counts are already scaled up by the sample rate and rounded.
import { z } from 'zod';
import { Env, Uuid } from '../validators.ts';
import { type DenialCode, denialCodes } from '../wire/denials.ts';
import { Count, WireDay, WireMonth, WireTime } from './wire.ts';

/** A key's requests per day. Contains only days with traffic, in ascending order. */
export const Usage = z
  .strictObject({
    object: z.literal('usage'),
    key_id: Uuid,
    days: z.int().min(1),
    data: z.array(z.strictObject({ day: WireDay, requests: Count, errors: Count })),
  })
  .meta({ id: 'Usage' });
export type Usage = z.output<typeof Usage>;

/**
 * Live traffic only. Each tenant is counted once per month, no matter how many projects it uses.
 */
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

// Object.keys returns `string[]`, but every key of denialCodes is a DenialCode.
const codes = Object.keys(denialCodes) as DenialCode[];

/** Why nodes deny requests. Unknown reasons count as `other`. */
export const CountedDenial = z.enum([...codes, 'other']);
export type CountedDenial = z.output<typeof CountedDenial>;

const Milliseconds = z.number().min(0);

/** Computed from a histogram, and accurate to within 9.1% between 0.25 ms and 65 s. */
const Latency = z.strictObject({ p50: Milliseconds, p90: Milliseconds, p99: Milliseconds });

const figures = {
  requests: Count,
  errors: Count,
  // Requests decided by a node whose policy was stale or incomplete.
  degraded: Count,
  denials: z.array(z.strictObject({ reason: CountedDenial, requests: Count })),
  // Covers allowed requests only; null if there were none.
  latency_ms: Latency.nullable(),
};

/** Usage per hour or day. Contains only intervals with traffic, in ascending order. */
export const UsageOverview = z
  .strictObject({
    object: z.literal('usage_overview'),
    interval: z.enum(['hour', 'day']),
    total: z.strictObject(figures),
    data: z.array(z.strictObject({ start: WireTime, ...figures })),
  })
  .meta({ id: 'UsageOverview' });
export type UsageOverview = z.output<typeof UsageOverview>;
