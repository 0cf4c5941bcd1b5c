// Settings for the policy feed: page sizes, how many polls are held open, and how fast a revocation
// takes effect.
import {
  HOT_AUTH_MS_DEFAULT,
  POLICY_PAGE_KEYS_MAX_DEFAULT,
  REVOKE_WAIT_MS_DEFAULT,
  REVOKE_WAIT_MS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import { wholeNumber } from './parsers.ts';
import type { Group } from './setting.ts';

export const policy = {
  policyPageKeysMax: {
    name: 'KEYRAIL_POLICY_PAGE_CEILING',
    meaning: 'Maximum keys in one page of a policy snapshot.',
    fallback: String(POLICY_PAGE_KEYS_MAX_DEFAULT),
    parse: (text) => wholeNumber(text, 1, 100_000),
  },
  heldPollsMax: {
    name: 'KEYRAIL_HELD_POLLS',
    meaning:
      'Maximum policy polls held open per process and workspace. Further polls get an immediate response.',
    fallback: '2000',
    parse: (text) => wholeNumber(text, 1, 50_000),
  },
  revokeWaitMsMax: {
    name: 'KEYRAIL_REVOKE_WAIT_MS',
    meaning: 'Maximum time that revoke?wait=true waits for nodes, in milliseconds.',
    fallback: String(REVOKE_WAIT_MS_DEFAULT),
    parse: (text) => wholeNumber(text, 0, REVOKE_WAIT_MS_MAX),
  },
  /** How long rate-limit and idempotency requests may use a cached secret key. */
  hotAuthMs: {
    name: 'KEYRAIL_HOT_AUTH_TTL_MS',
    meaning: 'How long rate-limit and idempotency requests cache a secret key, in milliseconds.',
    fallback: String(HOT_AUTH_MS_DEFAULT),
    parse: (text) => wholeNumber(text, 0, 60_000),
  },
} satisfies Group;
