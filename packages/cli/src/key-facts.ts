// What is shown of an API key, and how its rate limits are said.
import type { Answer } from '@keyrail/client/types.ts';
import { credentialHead, credentialTail } from './credential-facts.ts';
import type { Fact } from './facts.ts';
import { usage } from './faults.ts';
import type { Given } from './given.ts';
import { type RateLimit, rateLimitOf, rateLimitTexts } from './rate-limits.ts';

type ApiKey = Answer<'GET /v1/keys/{id}'>;

export const keyFacts: readonly Fact<ApiKey>[] = [
  ...credentialHead,
  { title: 'project', of: (key) => key.project_id, only: 'record' },
  { title: 'tenant', of: (key) => key.tenant_id, only: 'record' },
  { title: 'scopes', of: (key) => key.scopes.join(' '), only: 'record' },
  { title: 'rate limits', of: limitsText, only: 'record' },
  ...credentialTail,
];

function limitsText({ rate_limits: rules }: ApiKey): string {
  if (rules === null) return 'as the project';
  return rules.length === 0 ? 'none' : rateLimitTexts(rules);
}

/** Undefined leaves it as it is, null returns to the project's default, none is an empty list. */
export function keyLimitsOf(given: Given): RateLimit[] | null | undefined {
  const rules = given.list('rateLimit');
  const said = [rules !== undefined, given.flag('unlimited'), given.flag('projectLimits')];
  if (said.filter(Boolean).length > 1) {
    throw usage('--rate-limit, --unlimited and --project-limits exclude one another.');
  }
  if (given.flag('unlimited')) return [];
  return given.flag('projectLimits') ? null : rules?.map(rateLimitOf);
}
