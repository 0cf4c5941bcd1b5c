import { equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import type { RateLimit } from '@keyrail/protocol/validators.ts';
import { counterName, type Subjects, slotOf } from './counter-names.ts';

type Named = { subjects: Subjects; rule: RateLimit; slot: string };

const ONE = '01890000-0000-7000-8000-000000000001';
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
const asked: Named = { subjects, rule, slot: '' };
const withSubjects = (part: Partial<Subjects>): Named => ({
  ...asked,
  subjects: { ...subjects, ...part },
});
const withRule = (part: Partial<RateLimit>): Named => ({ ...asked, rule: { ...rule, ...part } });

function spelt({ subjects: of, rule: by, slot }: Named): string {
  const [kind, subject] = by.scope === 'key' ? ['k', of.keyId] : ['t', of.tenantId];
  const shape = `${by.algorithm.slice(0, 1)}${by.window_ms}`;
  const parts = [of.workspaceId, of.env, of.projectId, kind, subject ?? '-', by.id, shape];
  return `kr:rl:${slot}${parts.join('/')}`;
}

const nameOf = ({ subjects: of, rule: by, slot }: Named) => counterName(of, by, slot);

for (const [what, other] of [
  ['workspace', withSubjects({ workspaceId: OTHER })],
  ['environment', withSubjects({ env: 'test' })],
  ['project', withSubjects({ projectId: OTHER })],
  ['key', withSubjects({ keyId: OTHER })],
  ['anonymous subject', withSubjects({ keyId: null })],
  ['rule', withRule({ id: 'dax' })],
  ['window', withRule({ window_ms: 1000 + 4096 })],
  ['algorithm', withRule({ algorithm: 'sliding' })],
  ['scope', withRule({ scope: 'tenant' })],
  ['slot', { ...asked, slot: '{a}' }],
] as const) {
  test(`each ${what} has its own counter`, () => {
    equal(nameOf(other), spelt(other));
    notEqual(nameOf(other), nameOf(asked));
  });
}

test('a counter’s name does not depend on the rule’s limit or, with the scope `key`, on the tenant', () => {
  for (const other of [withRule({ limit: 2 }), withSubjects({ tenantId: OTHER })]) {
    equal(nameOf(other), spelt(asked));
  }
});

test('a rule with the scope `tenant` has one counter per tenant, shared by all of the tenant’s keys', () => {
  const byTenant = withRule({ scope: 'tenant' });
  const under = (part: Partial<Subjects>) => ({ ...byTenant, subjects: { ...subjects, ...part } });
  equal(nameOf(byTenant), spelt(byTenant));
  equal(nameOf(under({ keyId: OTHER })), nameOf(byTenant));
  for (const other of [under({ tenantId: OTHER }), under({ tenantId: null })]) {
    equal(nameOf(other), spelt(other));
    notEqual(nameOf(other), nameOf(byTenant));
  }
});

const ofKey = { ...rule, scope: 'key' } as const;
const ofTenant = { ...rule, scope: 'tenant' } as const;
const slotWith = (part: Partial<Subjects>, ...rules: RateLimit[]) =>
  slotOf({ ...subjects, ...part }, rules);

test('a tenant and all its keys share a Redis Cluster slot, for every combination of rules', () => {
  const slot = slotWith({}, ofKey, ofTenant);
  for (const rules of [[ofKey], [ofTenant], [ofKey, ofTenant]]) {
    for (const keyId of [ONE, OTHER, null]) equal(slotWith({ keyId }, ...rules), slot);
  }
  notEqual(slotWith({ tenantId: OTHER }, ofKey, ofTenant), slot);
  notEqual(slotWith({ workspaceId: OTHER }, ofKey, ofTenant), slot);
});

test('keys without a tenant, and the anonymous subject, are spread across several slots', () => {
  const slot = slotWith({ tenantId: null }, ofKey);
  notEqual(slotWith({ tenantId: null, keyId: OTHER }, ofKey), slot);
  notEqual(slotWith({ tenantId: null, workspaceId: OTHER }, ofKey), slot);
  const anonymous = slotWith({ tenantId: null, keyId: null }, ofKey);
  equal(slotWith({ tenantId: null, keyId: null }, ofTenant), anonymous);
  equal(slotWith({ tenantId: null }, ofKey, ofTenant), anonymous);
  notEqual(anonymous, slot);
});
