// The sentence that describes a new key.
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../../ui/controls/rate-limits.tsx';
import { emptyKey, type NewKey, sentenceOf } from './form.ts';

const rule: Rule = {
  id: 'requests',
  limit: 600,
  window_ms: 60_000,
  scope: 'key',
  algorithm: 'sliding',
};

/** The part of the sentence about rate limits, for a key in a project with these default limits. */
const limitsIn = (rules: readonly Rule[] | null, limits: NewKey['limits'] = emptyKey.limits) => {
  const project = rules && { id: null, label: 'Billing API', reference: 'billing-api', rules };
  const sentence = sentenceOf({ ...emptyKey, project, limits, scopes: ['a:read'] }, 'test', 0);
  return /with a:read, (.*), until you revoke it\.$/.exec(sentence)?.[1];
};

test('the sentence says which rate limits apply to the key', () => {
  equal(limitsIn([rule]), 'within the project’s rate limits');
  equal(limitsIn([]), 'without a rate limit', 'the project has no default limits');
  equal(limitsIn(null), 'within the project’s rate limits', 'no project has been chosen');
  equal(limitsIn([rule], { kind: 'unlimited', rules: [] }), 'without a rate limit');
  const own = limitsIn([], { kind: 'custom', rules: [rule] });
  equal(own, 'at most 600 per 1 min per key, sliding window');
});
