// An operator runs the doctor before the first start, with a server running, and without one.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '@keyrail/server/doctor/finding.ts';
import { freePort } from '@keyrail/testing/ports.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { deploy } from './deployment.ts';

const findingsIn = (output: string): Finding[] =>
  JSON.parse(/^\{"version".*$/m.exec(output)?.[0] ?? '{}').findings;

test('the doctor reports as text and as JSON, and its exit code depends on the severity', async (t) => {
  const deployment = await deploy(t, {
    KEYRAIL_PORT: String(await freePort()),
    KEYRAIL_AUTH_THROTTLE: 'on',
  });
  const before = await deployment.command('doctor', '--json');
  equal(before.code, 1, before.output);
  const idle = findingsIn(before.output);
  deepEqual(
    idle.filter(({ severity }) => severity === 'error'),
    [],
  );
  ok(idle.some(({ check, message }) => check === 'public url' && /Can't reach/.test(message)));
  ok(
    idle.some(({ check, severity }) => check === 'roles' && severity === 'ok'),
    before.output,
  );

  await deployment.run();
  const beside = await deployment.command('doctor');
  match(beside.output, /^ok {7}public url {4}http:\/\/127\.0\.0\.1:\d+ is reachable\.$/m);
  // The tests' login may still create roles, which is an error before PostgreSQL 16.
  const hasRisk = /^error {4}roles {9}The database login can still create/m.test(beside.output);
  match(beside.output, hasRisk ? /\n\n1 error, \d+ warnings?\n$/ : /\n\n0 errors, \d+ warn/);
  if (storeName === 'embedded') {
    equal(beside.code, 0, beside.output);
    match(beside.output, /^skipped {2}database {6}A running server is using the embedded/m);
  } else {
    equal(beside.code, hasRisk ? 2 : 1, beside.output);
    match(beside.output, /^ok {7}worker {8}A worker is running\.$/m);
    match(beside.output, /^ok {7}signing keys {2}Key [0-9a-f-]{36} signs embed tokens\.$/m);
    match(beside.output, /^ {23}> Set REDIS_URL before you run more than one API process\.$/m);
  }
  equal((await deployment.command('doctor', '--jsno')).code, 2);
});

test('each wrong setting is reported with its remedy', async (t) => {
  const deployment = await deploy(t, { KEYRAIL_LOG_LEVEL: 'loud', KEYRAIL_PROT: '1' });
  const { code, output } = await deployment.command('doctor', '--json');
  equal(code, 2);
  const findings = findingsIn(output);
  deepEqual(
    findings.map(({ check, severity }) => [check, severity]),
    [
      ['settings', 'error'],
      ['settings', 'error'],
    ],
  );
  for (const { remedy } of findings) match(remedy ?? '', /keyrail-server help/);
});
