// In-memory counters that respond like the control plane's. All windows are fixed, because a
// vendor's test checks whether a limit applies, not how its window slides.
import { randomUUID } from 'node:crypto';
import type {
  RatelimitLease,
  RatelimitLeaseReturn,
  RatelimitResult,
} from '@keyrail/protocol/objects/ratelimit.ts';
import { fieldsOf } from '../json.ts';

type Wire = Record<string, unknown>;

type TestCounters = {
  check(body: Wire): RatelimitResult;
  lease(body: Wire): RatelimitLease;
  giveBack(body: Wire): RatelimitLeaseReturn;
};

type Rule = { id: string; limit: number; window_ms: number; name: string; reset_ms: number };

export function createTestCounters(now: () => number): TestCounters {
  const counts = new Map<string, number>();
  const leases = new Map<string, { names: string[]; units: number; endsAt: number }>();
  const used = (name: string) => counts.get(name) ?? 0;
  const freeOf = ({ name, limit }: Rule) => Math.max(0, limit - used(name));
  const charge = (names: string[], units: number) => {
    for (const name of names) counts.set(name, used(name) + units);
  };
  /** `limiting` is the rule that has too few units left for the request. */
  const counted = (rules: Rule[], limiting: Rule | undefined) => ({
    limited_policy: limiting?.id ?? null,
    retry_after_seconds: limiting ? Math.ceil(limiting.reset_ms / 1000) : null,
    store: 'memory' as const,
    policies: rules.map((rule) => {
      const { id, limit, window_ms, reset_ms } = rule;
      return { id, limit, window_ms, remaining: freeOf(rule), reset_ms };
    }),
  });

  return {
    check(body) {
      const cost = Number(body.cost ?? 1);
      const rules = rulesIn(body, now());
      const limiting = rules.find((rule) => cost > 0 && cost > freeOf(rule));
      if (!limiting) charge(namesOf(rules), cost);
      const allowed = limiting === undefined;
      return { object: 'ratelimit_result', allowed, ...counted(rules, limiting) };
    },
    lease(body) {
      const want = Number(body.want);
      const rules = rulesIn(body, now());
      const granted = Math.min(want, ...rules.map(freeOf));
      const limiting = rules.find((rule) => want > freeOf(rule));
      charge(namesOf(rules), granted);
      const lease_id = randomUUID();
      const expires_in_ms = Math.min(...rules.map(({ reset_ms }) => reset_ms));
      const endsAt = now() + expires_in_ms;
      if (granted > 0) leases.set(lease_id, { names: namesOf(rules), units: granted, endsAt });
      const lease = { lease_id, granted, expires_in_ms };
      return { object: 'ratelimit_lease', ...lease, ...counted(rules, limiting) };
    },
    giveBack(body) {
      const lease_id = String(body.lease_id);
      const unused = Number(body.unused);
      const lease = leases.get(lease_id);
      const isValid = lease !== undefined && lease.endsAt > now() && unused <= lease.units;
      if (!isValid) return { object: 'ratelimit_lease', lease_id, returned: 0 };
      charge(lease.names, -unused);
      leases.delete(lease_id);
      return { object: 'ratelimit_lease', lease_id, returned: unused };
    },
  };
}

const namesOf = (rules: Rule[]): string[] => rules.map(({ name }) => name);

function rulesIn(body: Wire, now: number): Rule[] {
  return (Array.isArray(body.limits) ? body.limits : []).map((rule) => {
    const { scope, ...fields } = fieldsOf(rule);
    const id = String(fields.id);
    const limit = Number(fields.limit);
    const window_ms = Number(fields.window_ms);
    const subject = scope === 'tenant' ? body.tenant_id : body.key_id;
    const window = Math.floor(now / window_ms);
    const name = JSON.stringify([body.project_id, body.env, subject, id, window_ms, window]);
    return { id, limit, window_ms, name, reset_ms: (window + 1) * window_ms - now };
  });
}
