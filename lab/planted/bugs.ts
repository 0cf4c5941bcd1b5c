// The planted bugs: each is a patch, with the test that must fail while the patch is applied.

export type Planted = {
  /** The patch's file name in `patches`, without its extension. */
  patch: string;
  /** What the bug does. */
  bug: string;
  file: string;
  /** The test's title. */
  title: string;
  store: 'embedded' | 'postgres';
  /** Whether the bug's test is quick enough to be part of every test run. */
  isCheap?: true;
};

const SERVER = 'packages/server/src';

export const plantedBugs: readonly Planted[] = [
  {
    patch: '01-version-from-a-sequence',
    bug: 'policy versions come from a sequence, regardless of commit order',
    file: `${SERVER}/features/policy/one-moment.test.ts`,
    title: 'no version becomes visible until all lower versions are committed',
    store: 'postgres',
  },
  {
    patch: '02-snapshot-read-committed',
    bug: "a snapshot's statements see the data at different moments",
    file: `${SERVER}/features/policy/one-moment.test.ts`,
    title: 'a snapshot is consistent while keys are written',
    store: 'postgres',
  },
  {
    patch: '03-unchanged-for-a-filter',
    bug: 'a change hidden by a filter returns a 304',
    file: `${SERVER}/features/policy/policy.test.ts`,
    title: 'a node whose filter excludes a change still gets the new version',
    store: 'embedded',
  },
  {
    patch: '04-expired-keys-left-out',
    bug: 'an expired key disappears from snapshots without a change',
    file: `${SERVER}/features/policy/policy.test.ts`,
    title: 'a snapshot contains every unrevoked key with its effective limits',
    store: 'embedded',
  },
  {
    patch: '05-audit-after-the-commit',
    bug: 'the audit row is written in a separate transaction, after the change',
    file: `${SERVER}/doors/write.test.ts`,
    title: 'a change without audit entries cannot commit',
    store: 'embedded',
  },
  {
    patch: '06-second-revocation-audited',
    bug: 'revoking a revoked key changes and audits it again',
    file: `${SERVER}/features/keys/key-endings.test.ts`,
    title: 'a revoked key cannot be rotated, and revoking it again changes nothing',
    store: 'embedded',
  },
  {
    patch: '07-evicted-before-the-commit',
    bug: 'caches drop a secret key before its revocation is committed',
    file: `${SERVER}/doors/write.test.ts`,
    title: 'caches drop a secret key only after the commit that revokes it',
    store: 'embedded',
  },
  {
    patch: '08-cache-life-slides',
    bug: 'every use extends the life of a cached secret key',
    file: `${SERVER}/access/secret-key-cache.test.ts`,
    title: 'a key is read once per cache lifetime, and using the key does not extend that lifetime',
    store: 'embedded',
    isCheap: true,
  },
  {
    patch: '09-cache-without-generations',
    bug: 'a read from before a revocation is cached after it',
    file: `${SERVER}/access/secret-key-cache.test.ts`,
    title: 'the result of a read that began before a revocation is not cached',
    store: 'embedded',
    isCheap: true,
  },
  {
    patch: '10-expiry-by-the-clock-of-the-api',
    bug: "one-time tokens expire according to the API process's clock",
    file: `${SERVER}/features/accounts/one-time-tokens.test.ts`,
    title: 'a verification link is valid for a day, and a reset link for an hour',
    store: 'embedded',
  },
  {
    patch: '11-rotation-extends-the-old-key',
    bug: 'a rotation moves an earlier expiry of the old key to the end of the overlap',
    file: `${SERVER}/features/keys/key-endings.test.ts`,
    title: 'a rotation never extends the old key and never shortens the new one',
    store: 'embedded',
  },
  {
    patch: '12-update-without-the-workspace',
    bug: 'an update does not check the workspace',
    file: 'tests/contracts/reach.test.ts',
    title: 'updating a row in another workspace changes nothing',
    store: 'embedded',
  },
  {
    patch: '13-superuser-accepted',
    bug: 'the server starts with a login that bypasses row level security',
    file: 'tests/faults/database-roles.test.ts',
    title: 'the server refuses to start with a role that bypasses row level security',
    store: 'postgres',
  },
  {
    patch: '14-reach-of-the-session',
    bug: "a request's workspace and role stay on its connection",
    file: 'tests/contracts/connections.test.ts',
    title: 'a released connection has no role and no scope',
    store: 'embedded',
  },
  {
    patch: '15-token-read-then-consumed',
    bug: 'a one-time token is read and then consumed, in two statements',
    file: `${SERVER}/features/accounts/one-time-tokens.test.ts`,
    title: 'a token is checked and consumed in a single SQL statement',
    store: 'embedded',
  },
  {
    patch: '16-cheap-hash-without-an-account',
    bug: 'a login without an account computes a cheaper hash',
    file: `${SERVER}/access/passwords.test.ts`,
    title: 'verifying a password without an account does the same work and returns false',
    store: 'embedded',
    isCheap: true,
  },
  {
    patch: '17-origin-by-its-end',
    bug: 'an origin is accepted if it ends with an allowed host',
    file: `${SERVER}/features/embed/embed-tokens.test.ts`,
    title: 'a token is accepted only from an origin in its audience',
    store: 'embedded',
  },
  {
    patch: '18-epoch-cached',
    bug: 'a process caches the tenant of an embed token',
    file: `${SERVER}/features/embed/embed-tokens.test.ts`,
    title: 'a token that is no longer valid is rejected on the very next request',
    store: 'embedded',
  },
  {
    patch: '19-limiter-of-two-counters',
    bug: 'a sliding window is estimated from two counters',
    file: 'tests/contracts/counters-windows.test.ts',
    title: 'no interval in any schedule exceeds its limit, and no check is charged partially',
    store: 'embedded',
  },
  {
    patch: '20-denied-checks-charged',
    bug: 'a denied check is charged',
    file: `${SERVER}/features/ratelimit/ratelimit.test.ts`,
    title: 'either all rules are charged or none, and a cost of 0 charges nothing',
    store: 'embedded',
  },
  {
    patch: '21-complete-without-its-token',
    bug: 'any caller can complete a claim, with or without its lock',
    file: `${SERVER}/features/idempotency/idempotency.test.ts`,
    title:
      'an expired lock can be stolen only once, and its former holder can no longer change anything',
    store: 'embedded',
  },
  {
    patch: '22-signature-of-the-parsed-body',
    bug: "a report's signature is verified over the parsed JSON",
    file: `${SERVER}/features/scanner/scanner.test.ts`,
    title: 'nothing is parsed or looked up before the signature is verified',
    store: 'embedded',
  },
  {
    patch: '23-restore-without-fences',
    bug: 'a restored database continues with old versions, epochs and tokens',
    file: 'tests/contracts/backups.test.ts',
    title: 'a half-restored database cannot be served until another restore has completed',
    store: 'embedded',
  },
  {
    patch: '24-only-the-servers-timeout',
    bug: 'only PostgreSQL ends a statement that takes too long',
    file: 'tests/faults/postgres-frozen.test.ts',
    title:
      'requests get a response in time while PostgreSQL is frozen, and succeed again once it resumes',
    store: 'postgres',
  },
];
