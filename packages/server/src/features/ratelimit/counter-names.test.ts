import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import { counterName, type Subjects, slotOf } from './counter-names.ts';

type Asked = { subjects: Subjects; rule: RateLimit; slot: string };

const ONE = '01890000-0000-7000-8000-000000000001';
/** Has the same last digits as ONE, so that both share one index of the cache. */
const OTHER = '01890000-0000-7000-8000-100000000001';

const subjects: Subjects = {
  workspaceId: ONE,
  env: 'live',
  projectId: ONE,
  keyId: ONE,
  tenantId: ONE,
};
const rule: RateLimit = {
  id: 'day',
  limit: 1,
  window_ms: 1000,
  algorithm: 'fixed',
  scope: 'key',
};
const asked: Asked = { subjects, rule, slot: '' };
const withSubjects = (part: Partial<Subjects>): Asked => ({
  ...asked,
  subjects: { ...subjects, ...part },
});
const withRule = (part: Partial<RateLimit>): Asked => ({ ...asked, rule: { ...rule, ...part } });

function spelt({ subjects: of, rule: by, slot }: Asked): string {
  const [kind, subject] = by.scope === 'key' ? ['k', of.keyId] : ['t', of.tenantId];
  const shape = `${by.algorithm.slice(0, 1)}${by.window_ms}`;
  const parts = [of.workspaceId, of.env, of.projectId, kind, subject ?? '-', by.id, shape];
  return `kr:rl:${slot}${parts.join('/')}`;
}

for (const [what, other] of [
  ['workspace', withSubjects({ workspaceId: OTHER })],
  ['environment', withSubjects({ env: 'test' })],
  ['project', withSubjects({ projectId: OTHER })],
  ['key', withSubjects({ keyId: OTHER })],
  ['missing key', withSubjects({ keyId: null })],
  ['tenant, which is not part of the name for scope key', withSubjects({ tenantId: OTHER })],
  ['rule', withRule({ id: 'dax' })],
  ['window', withRule({ window_ms: 1000 + 4096 })],
  ['algorithm', withRule({ algorithm: 'sliding' })],
  ['scope', withRule({ scope: 'tenant' })],
  ['limit, which is not part of the name', withRule({ limit: 2 })],
  ['slot', { ...asked, slot: '{a}' }],
] as const) {
  test(`a cached name is not used for another ${what}`, () => {
    for (const each of [asked, other, asked, other, other, asked]) {
      equal(counterName(each.subjects, each.rule, each.slot), spelt(each));
    }
  });
}

test('a rule with scope tenant is counted per tenant, for all its keys', () => {
  const byTenant = withRule({ scope: 'tenant' });
  for (const part of [{ tenantId: OTHER }, { keyId: OTHER }, { tenantId: null }, {}]) {
    const other = { ...byTenant, subjects: { ...subjects, ...part } };
    for (const each of [byTenant, other, byTenant, other, other, byTenant]) {
      equal(counterName(each.subjects, each.rule, each.slot), spelt(each));
    }
  }
});

const ofKey = { ...rule, scope: 'key' } as const;
const ofTenant = { ...rule, scope: 'tenant' } as const;
const slotWith = (part: Partial<Subjects>, ...rules: RateLimit[]) =>
  slotOf({ ...subjects, ...part }, rules);

test('a tenant and all its keys share a slot, for every combination of rules', () => {
  const slot = slotWith({}, ofKey, ofTenant);
  for (const rules of [[ofKey], [ofTenant], [ofKey, ofTenant]]) {
    for (const keyId of [ONE, OTHER, null]) equal(slotWith({ keyId }, ...rules), slot);
  }
  notEqual(slotWith({ tenantId: OTHER }, ofKey, ofTenant), slot);
  notEqual(slotWith({ workspaceId: OTHER }, ofKey, ofTenant), slot);
});

test('a key without a tenant has its own slot, and so has the anonymous subject', () => {
  const slot = slotWith({ tenantId: null }, ofKey);
  notEqual(slotWith({ tenantId: null, keyId: OTHER }, ofKey), slot);
  notEqual(slotWith({ tenantId: null, workspaceId: OTHER }, ofKey), slot);
  const anonymous = slotWith({ tenantId: null, keyId: null }, ofKey);
  equal(slotWith({ tenantId: null, keyId: null }, ofTenant), anonymous);
  equal(slotWith({ tenantId: null }, ofKey, ofTenant), anonymous);
  notEqual(anonymous, slot);
});
