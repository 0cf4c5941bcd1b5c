// Checking passwords works even when the process has no free file descriptors.
import { match, throws } from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { noThrottle } from '../../access/throttle.ts';
import { ApiError } from '../../base/errors.ts';
import { refuseWeakPassword } from './password-policy.ts';
import { accountRoutes } from './routes.ts';

function withoutFiles(t: TestContext): void {
  const { readFileSync } = fs;
  fs.readFileSync = (() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  }) as typeof readFileSync;
  syncBuiltinESMExports();
  t.after(() => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  });
}

test('the list of common passwords is read when the routes are created', (t) => {
  const never = () => {
    throw new Error('the routes are not called');
  };
  const hasher = { hash: never, verify: never, runs: never, unusedHash: '' };
  accountRoutes({ hasher, throttle: noThrottle, passwordCharsMin: 12, signupPolicy: 'open' });
  withoutFiles(t);
  throws(
    () => refuseWeakPassword('basketball', 'ada@example.com'),
    (error) => {
      match(String(error instanceof ApiError && error.details?.[0]?.message), /most common/);
      return true;
    },
  );
});
