// The invariants by number, each as a sentence and as a function that checks it.
import type { Check, Finding, History } from '../history.ts';
import { I1, I2, I3 } from './audit.ts';
import { I4, I5, I6, I7, I8, I9 } from './feed.ts';
import { I10, I11, I12, I21 } from './keys.ts';
import { I13, I14, I20 } from './people.ts';
import { I17, I18, I22, I23, I25 } from './reach.ts';
import { I15, I16, I19, I24 } from './traffic.ts';

export type Invariant = { name: string; says: string; check: Check };

const of = (name: string, says: string, check: Check): Invariant => ({ name, says, check });

export const invariants: readonly Invariant[] = [
  of('I1', 'the audit chain contains every number exactly once, and every hash is correct', I1),
  of('I2', 'every change has exactly one audit row, and nothing else has one', I2),
  of('I3', 'audit rows are in chronological order', I3),
  of('I4', 'policy versions never go backwards', I4),
  of('I5', 'a snapshot equals the folded deltas at the same version', I5),
  of('I6', 'pages plus later deltas yield the same state as a single snapshot', I6),
  of('I7', 'deltas only go forward and list each key once, and a 304 means no change', I7),
  of('I8', 'a reader below the floor or ahead of the version gets a snapshot', I8),
  of('I9', 'a revoked key is not served, and rate limits are resolved', I9),
  of('I10', 'no node accepts a key whose revocation is complete', I10),
  of('I11', 'no expiry is extended, and a new key is a copy of the old one', I11),
  of('I12', 'a deleted tenant has no active keys, and the reported count is correct', I12),
  of('I13', 'a workspace with members has an owner', I13),
  of('I14', 'a one-time token works once, and a reset ends sessions', I14),
  of('I15', 'a request runs once under one lock, then gets its stored response', I15),
  of('I16', 'no interval allows more than the limit', I16),
  of('I17', 'no embed token is accepted after it has been revoked', I17),
  of('I18', 'no secret key is accepted after it has been revoked', I18),
  of('I19', 'usage equals the sum of accepted events', I19),
  of('I20', 'a sign-up queues one email, and repeating a verification queues none', I20),
  of('I21', 'external IDs are unique', I21),
  of('I22', "no response shows another workspace's data", I22),
  of('I23', 'a test key cannot change anything live', I23),
  of('I24', 'the telemetry budget also counts rejected batches', I24),
  of('I25', 'everything works again soon after the last fault', I25),
];

export type Verdict = Finding & Omit<Invariant, 'check'>;

export const checkAll = (history: History): Verdict[] =>
  invariants.map(({ name, says, check }) => ({ name, says, ...check(history) }));

/**
 * Checks that don't need the final state, so they also run during a soak. They must be quick,
 * because they run in the same process as the test bed's proxies.
 */
export const AT_ANY_TIME = ['I10', 'I18'];

/**
 * Returns the violations that can be detected while a soak is still running, from its operations
 * alone.
 */
export const violationsUntilNow = (history: History): string[] =>
  invariants
    .filter(({ name }) => AT_ANY_TIME.includes(name))
    .flatMap(({ name, check }) => check(history).violations.map((each) => `${name}: ${each}`));
