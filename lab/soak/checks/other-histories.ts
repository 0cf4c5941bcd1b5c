// Valid and invalid histories of everything but the feed.
import type { Body, Op } from '../history.ts';
import { type Case, chained, created, historyOf, op, revoke } from './written-history.ts';

const complete = { propagation: { complete: true, total_nodes: 1 } };
const verify = (verdict: string) =>
  op('node.verify', { node: 'n', id: 'k' }, { body: { verdict } });
const claim = (state: string, body: Body = {}) =>
  op('scope.claim', { scope: 's', isForeign: false }, { body: { state, ...body } });
const stored = (lock: string, answer: string, body_stored = true) =>
  op('scope.complete', { scope: 's', lock, answer }, { body: { outcome: 'ok', body_stored } });
const checks = (times: number, afterMs = 0) =>
  Array.from({ length: times }, () => {
    const one = op(
      'limit.check',
      { counter: 1, limit: 2, window: 100 },
      { body: { allowed: true } },
    );
    return { ...one, t0: one.t0 + afterMs, t1: one.t1 + afterMs };
  });
const mail = (id: string, kind = 'verify_email') => ({ id, kind, to: 'e' });
const rotated = (body: Body = {}, old: Body = {}) => {
  const alike = { name: 'n', scopes: [], meta: {}, rate_limits: null, tenant_id: 't' };
  const both = { ...alike, project_id: 'p', env: 'live' };
  const previous_key = { ...both, id: 'k', expires_at: '2026-01-01T01:00:00.000Z', ...old };
  const successor = { ...both, id: 'k2', created_at: '2026-01-01T00:00:00.000Z', previous_key };
  return op('key.rotate', { id: 'k', overlap: 1 }, { body: { ...successor, ...body } });
};
const owners = (...roles: string[]) =>
  op('member.list', {}, { body: { data: roles.map((role) => ({ role })) } });
const budget = (events: number) => op('budget.batch', { events, budget: 10 }, { status: 400 });
const tenant = (external_id: string, more: Partial<Op> = {}) =>
  op('tenant.create', { external_id }, { body: { id: external_id }, ...more });
const deleted = op('tenant.delete', { id: 't' }, { body: { deleted: true, revoked_keys: 1 } });
const keyOf = (more: Body) => ({ id: 'k', tenant_id: 't', revoked_at: 't', ...more });

const rowsOf = (...ids: string[]) => chained(ids.map((target_id) => ({ target_id })));

export const otherCases: Record<string, Case> = {
  I1: {
    good: () => historyOf({ audit: chained([{}, {}]) }),
    bad: [
      () => historyOf({ audit: chained([{}, {}]).slice(1) }),
      () => historyOf({ audit: chained([{}, {}]).map((row) => ({ ...row, payload: { a: 1 } })) }),
    ],
  },
  I2: {
    good: () =>
      historyOf({
        ops: [created('k0'), revoke('k0', { revoked_reason: 'tenant deleted' })],
        audit: rowsOf('k0'),
      }),
    bad: [
      () => historyOf({ ops: [created('k0')] }),
      () => historyOf({ ops: [created('k0'), revoke('k0')], audit: rowsOf('k0') }),
      () => historyOf({ ops: [created('k0')], audit: rowsOf('k0', 'k0') }),
      () => historyOf({ ops: [created('k0')], audit: rowsOf('k0', 'k1') }),
      () => {
        const refused = op('key.patch', { id: 'k' }, { outcome: 'fail' });
        return historyOf({
          ops: [refused],
          audit: chained([{ action: 'api_key.updated', target_id: 'k' }]),
        });
      },
    ],
  },
  I3: {
    good: () => historyOf({ ops: [created('k0'), created('k1')], audit: rowsOf('k0', 'k1') }),
    bad: [
      () => historyOf({ ops: [created('k1'), created('k0')], audit: rowsOf('k0', 'k1') }),
      () =>
        historyOf({
          audit: chained([{ occurred_at: '2026-01-02' }, { occurred_at: '2026-01-01' }]),
        }),
    ],
  },
  I10: {
    good: () =>
      historyOf({ ops: [verify('allowed'), revoke('k', complete), verify('invalid_key')] }),
    bad: [() => historyOf({ ops: [revoke('k', complete), verify('allowed')] })],
  },
  I11: {
    good: () =>
      historyOf({ ops: [rotated()], keys: [keyOf({ expires_at: '2026-01-01T01:00:00.000Z' })] }),
    bad: [
      () => historyOf({ ops: [rotated()], keys: [keyOf({ expires_at: null })] }),
      () => historyOf({ ops: [revoke('k')], keys: [keyOf({ revoked_at: null })] }),
      () => historyOf({ ops: [rotated({ scopes: ['more'] })] }),
      () => historyOf({ ops: [rotated({}, { expires_at: '2026-01-01T02:00:00.000Z' })] }),
    ],
  },
  I12: {
    good: () => historyOf({ ops: [deleted], keys: [keyOf({ revoked_reason: 'tenant deleted' })] }),
    bad: [
      () => historyOf({ ops: [deleted], keys: [keyOf({ revoked_at: null })] }),
      () => historyOf({ ops: [deleted], keys: [keyOf({ revoked_reason: 'other' })] }),
    ],
  },
  I13: {
    good: () => historyOf({ ops: [owners('owner', 'admin')] }),
    bad: [() => historyOf({ ops: [owners('admin', 'admin')] })],
  },
  I14: {
    good: () => historyOf({ ops: [op('reset.consume', { token: 't', user: 'u' })] }),
    bad: [
      () =>
        historyOf({
          ops: [
            op('reset.consume', { token: 't', user: 'u' }),
            op('reset.consume', { token: 't', user: 'u' }),
          ],
        }),
      () =>
        historyOf({
          ops: [
            op('reset.consume', { token: 't', user: 'u' }),
            op('session.use', { user: 'u', since: 0 }),
          ],
        }),
    ],
  },
  I15: {
    good: () =>
      historyOf({
        ops: [
          claim('execute', { lock_token: 'l' }),
          stored('l', 'a'),
          claim('replay', { response: { body: 'a' } }),
        ],
      }),
    bad: [
      () =>
        historyOf({
          ops: [claim('execute', { lock_token: 'l' }), claim('execute', { lock_token: 'm' })],
        }),
      () => historyOf({ ops: [stored('l', 'a'), stored('m', 'b')] }),
      () => historyOf({ ops: [stored('l', 'a'), claim('replay', { response: { body: 'b' } })] }),
      () => historyOf({ ops: [stored('l', 'a'), claim('replay', { response: { body: null } })] }),
      () =>
        historyOf({
          ops: [stored('l', 'a', false), claim('replay', { response: { body: 'a' } })],
        }),
    ],
  },
  I16: {
    good: () => historyOf({ ops: [...checks(2), ...checks(2, 200)] }),
    bad: [() => historyOf({ ops: checks(3) })],
  },
  I17: {
    good: () =>
      historyOf({
        ops: [deleted, op('embed.use', { tenant: 't', epoch: 1 }, { outcome: 'fail', t0: 1e9 })],
      }),
    bad: [
      () => historyOf({ ops: [deleted, op('embed.use', { tenant: 't', epoch: 1 })] }),
      () =>
        historyOf({
          ops: [
            op('tenant.end_embed', { id: 't' }, { body: { embed_epoch: 2 } }),
            op('embed.use', { tenant: 't', epoch: 1 }),
          ],
        }),
    ],
  },
  I18: {
    good: () =>
      historyOf({
        ops: [
          op('secret.revoke', { id: 's' }),
          op('secret.use', { id: 's', hot: false }, { outcome: 'fail' }),
        ],
      }),
    bad: [
      () =>
        historyOf({
          ops: [op('secret.revoke', { id: 's' }), op('secret.use', { id: 's', hot: false })],
        }),
    ],
  },
  I19: {
    good: () => historyOf({ ops: [op('ingest.batch', { key: 'k', events: 2 })], usage: { k: 2 } }),
    bad: [
      () => historyOf({ ops: [op('ingest.batch', { key: 'k', events: 2 })], usage: { k: 1 } }),
      () => historyOf({ ops: [op('ingest.batch', { key: 'k', events: 2 })], usage: { k: 4 } }),
    ],
  },
  I20: {
    good: () => historyOf({ ops: [op('signup', { email: 'e' })], mails: [mail('1'), mail('1')] }),
    bad: [
      () => historyOf({ ops: [op('signup', { email: 'e' })] }),
      () => historyOf({ ops: [op('signup', { email: 'e' })], mails: [mail('1'), mail('2')] }),
      () => historyOf({ ops: [op('mail.resend', { email: 'e' })], mails: [mail('1'), mail('2')] }),
    ],
  },
  I21: {
    good: () =>
      historyOf({
        ops: [tenant('x'), tenant('x', { outcome: 'fail', status: 409 })],
        tenants: [{ external_id: 'x' }],
      }),
    bad: [
      () => historyOf({ ops: [tenant('x'), tenant('x')] }),
      () => historyOf({ ops: [tenant('x'), tenant('x', { outcome: 'fail', status: 400 })] }),
      () => historyOf({ tenants: [{ external_id: 'x' }, { external_id: 'x' }] }),
    ],
  },
  I22: {
    good: () =>
      historyOf({
        ops: [op('stranger.read', { canary: 'c', path: '/' }, { status: 404, outcome: 'fail' })],
      }),
    bad: [
      () => historyOf({ ops: [op('stranger.read', { canary: 'c', path: '/' })] }),
      () =>
        historyOf({
          ops: [
            op('stranger.read', { canary: 'c', path: '/', isList: true }, { body: { a: 'c' } }),
          ],
        }),
    ],
  },
  I23: {
    good: () =>
      historyOf({ ops: [op('test.write', { what: 'it' }, { outcome: 'fail', status: 403 })] }),
    bad: [
      () => historyOf({ ops: [op('test.write', { what: 'it' })] }),
      () => historyOf({ testKeyId: 's', audit: rowsOf('k'), keys: [keyOf({ env: 'live' })] }),
    ],
  },
  I24: {
    good: () => historyOf({ ops: [budget(10), budget(10)] }),
    bad: [() => historyOf({ ops: [budget(10), budget(10), budget(1)] })],
  },
  I25: {
    good: () => historyOf({ recoveries: [{ what: 'all', ms: 15_000 }] }),
    bad: [
      () => historyOf({ recoveries: [{ what: 'all', ms: 15_001 }] }),
      () => historyOf({ recoveries: [{ what: 'all', ms: null }] }),
    ],
  },
};
