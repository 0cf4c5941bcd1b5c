// I10 to I12 and I21: the lifecycle of keys, as seen in responses and in the final list of all
// keys.
import {
  type Body,
  type Check,
  Findings,
  groupsOf,
  type History,
  isOk,
  mayBeDone,
  opsOf,
  textOf,
  within,
} from '../history.ts';

const HOUR_MS = 3_600_000;

/** No node accepts a key once its revocation has been reported as `complete`. */
export const I10: Check = (history) => {
  const found = new Findings();
  const complete = new Map(
    opsOf(history, 'key.revoke')
      .filter((op) => isOk(op) && within(op.body, 'propagation', 'complete') === true)
      .filter((op) => Number(within(op.body, 'propagation', 'total_nodes')) > 0)
      .map(({ args, t1 }) => [args.id, t1]),
  );
  for (const { args, t0, body } of opsOf(history, 'node.verify').filter(isOk)) {
    const since = complete.get(args.id ?? '');
    if (since === undefined || t0 < since) continue;
    found.expect(
      body.verdict !== 'allowed',
      () => `${args.node} accepts the key ${args.id}, whose revocation is complete`,
    );
  }
  return found;
};

type Seen = { t0: number; t1: number; expiresAt: string; revokedAt: string };

/** Represents the expiry of a key that never expires, and sorts after every real time. */
const NEVER = '9999';

const seenIn = (body: Body, { t0, t1 }: { t0: number; t1: number }): [string, Seen] => [
  textOf(body, 'id'),
  {
    t0,
    t1,
    expiresAt: textOf(body, 'expires_at') || NEVER,
    revokedAt: textOf(body, 'revoked_at'),
  },
];

/** Collects every state of a key that appeared in a response, and the key's state at the end. */
function statesOf(history: History): Map<string, Seen[]> {
  const kinds = ['key.create', 'key.patch', 'key.rotate', 'key.revoke', 'key.read'];
  const states = opsOf(history, ...kinds)
    .filter(isOk)
    .flatMap((op) => [
      seenIn(op.body, op),
      ...(op.kind === 'key.rotate' ? [seenIn(Object(op.body.previous_key), op)] : []),
    ]);
  const end = { t0: Number.POSITIVE_INFINITY, t1: Number.POSITIVE_INFINITY };
  const all = [...states, ...history.keys.map((key) => seenIn(key, end))];
  const groups = groupsOf(all, ([id]) => id);
  return new Map([...groups].map(([id, each]) => [id, each.map(([, seen]) => seen)]));
}

export const I11: Check = (history) => {
  const found = new Findings();
  for (const [id, states] of statesOf(history)) {
    const inOrder = states.toSorted((a, b) => a.t0 - b.t0);
    for (const [at, later] of inOrder.entries()) {
      const earlier = inOrder.slice(0, at).findLast(({ t1 }) => t1 < later.t0);
      if (!earlier) continue;
      found.expect(
        later.expiresAt <= earlier.expiresAt,
        () => `the expiry of the key ${id} was extended`,
      );
      const isKept = earlier.revokedAt === '' || earlier.revokedAt === later.revokedAt;
      found.expect(isKept, () => `the revocation of the key ${id} was undone or changed`);
    }
  }
  for (const { args, body } of opsOf(history, 'key.rotate').filter(isOk)) {
    const old = Object(body.previous_key);
    const alike = ['name', 'scopes', 'meta', 'rate_limits', 'tenant_id', 'project_id', 'env'];
    const isCopied = alike.every(
      (name) => JSON.stringify(body[name]) === JSON.stringify(old[name]),
    );
    found.expect(isCopied, () => `the new key for ${args.id} is not a copy`);
    const latest = Date.parse(textOf(body, 'created_at')) + Number(args.overlap) * HOUR_MS;
    found.expect(
      Date.parse(textOf(old, 'expires_at')) <= latest,
      () => `the old key ${args.id} outlives its overlap`,
    );
  }
  return found;
};

export const I12: Check = (history) => {
  const found = new Findings();
  const byTenant = groupsOf(history.keys, ({ tenant_id }) => String(tenant_id));
  const exists = new Set(history.tenants.map(({ id }) => String(id)));
  for (const op of opsOf(history, 'tenant.delete').filter(mayBeDone)) {
    const id = String(op.args.id);
    if (op.outcome === 'unknown' && exists.has(id)) continue;
    const keys = byTenant.get(id) ?? [];
    const active = keys.filter(({ revoked_at }) => revoked_at === null);
    found.expect(
      active.length === 0,
      () => `${active.length} keys of the deleted tenant ${id} are active`,
    );
    if (!isOk(op)) continue;
    found.expect(!exists.has(id), () => `the deleted tenant ${id} still exists`);
    const ended = keys.filter(({ revoked_reason }) => revoked_reason === 'tenant deleted').length;
    found.expect(
      ended === op.body.revoked_keys,
      () => `deleting ${id} reported ${op.body.revoked_keys} revoked keys but revoked ${ended}`,
    );
  }
  return found;
};

export const I21: Check = (history) => {
  const found = new Findings();
  const live = groupsOf(history.tenants, ({ external_id }) => String(external_id));
  const tries = groupsOf(opsOf(history, 'tenant.create'), ({ args }) => String(args.external_id));
  for (const [name, each] of tries) {
    if (each.length < 2) continue;
    const winners = each.filter(isOk).length;
    const isRefused = each.every(
      (op) => op.outcome !== 'fail' || op.status === 409 || op.status === 503,
    );
    found.expect(winners <= 1, () => `${winners} tenants were created as ${name}`);
    found.expect(isRefused, () => `a second ${name} was not rejected with 409`);
  }
  for (const [name, each] of live) {
    found.expect(each.length === 1, () => `${each.length} tenants have the external ID ${name}`);
  }
  return found;
};
