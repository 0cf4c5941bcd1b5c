// A running deployment writes the anchors of its audit log to a file and sends them to an https:
// URL. An operator verifies all chains against these anchors, a tenant verifies an export offline,
// and an administrator who removes the end of the log is detected.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createCertificate } from '@keyrail/testing/certificate.ts';
import { root } from '@keyrail/testing/documents.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { storeName } from '@keyrail/testing/test-app.ts';
import { until } from '@keyrail/testing/until.ts';
import { BOOTSTRAP_TOKEN, type Deployment, deploy } from './deployment.ts';

const WAIT_MS_MAX = 60_000;

const textIn = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

type Outcome = { code: number; output: string };

const run = (file: string, words: string[], env: Record<string, string> = {}): Promise<Outcome> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      [join(root, file), ...words],
      { env: { ...inherited(), ...env } },
      (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    ),
  );

type Received = { text: string; credentials: Set<string | undefined> };

/** A TLS server with its own certificate that accepts a POST; null if openssl is missing. */
async function receiver(t: TestContext, directory: string) {
  const pair = createCertificate(directory, 'localhost');
  if (pair === null) return null;
  const received: Received = { text: '', credentials: new Set() };
  const server = createServer(
    { cert: await readFile(pair.certificate), key: await readFile(pair.key) },
    async (request, answer) => {
      received.credentials.add(`${request.method} ${request.headers.authorization}`);
      for await (const chunk of request) received.text += chunk;
      answer.writeHead(204).end();
    },
  ).listen(0, 'localhost');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { ...pair, received, url: `https://user:p%40ss@localhost:${port}/anchors` };
}

test('anchors stored elsewhere prove that the end of the log has not been removed', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'kr-place-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const place = join(directory, 'anchors.jsonl');
  const https = await receiver(t, directory);
  const deployment = await deploy(t, {
    KEYRAIL_AUDIT_ANCHORS: https ? `${place},${https.url}` : place,
    ...(https && { NODE_EXTRA_CA_CERTS: https.certificate }),
  });
  const server = await deployment.run();
  const { workspace, secret_key: secretKey } = await server.as(BOOTSTRAP_TOKEN)(
    'POST /v1/workspaces',
    { name: 'Acme', slug: 'acme' },
  );
  const vendor = server.as(secretKey.key);
  for (const slug of ['one', 'two', 'three'])
    await vendor('POST /v1/projects', { name: slug, slug });
  const { head_seq: seq } = await vendor('GET /v1/audit_logs/chain');

  const file = join(directory, 'audit.jsonl');
  const token = { KEYRAIL_URL: server.url, KEYRAIL_TOKEN: secretKey.key, HOME: directory };
  const exported = await run(
    'packages/cli/bin/keyrail.js',
    ['audit', 'export', '--out', file],
    token,
  );
  equal(exported.code, 0, exported.output);
  await vendor('POST /v1/projects', { name: 'four', slug: 'four' });
  const more = ['audit', 'export', '--out', file, '--since', String(seq)];
  match((await run('packages/cli/bin/keyrail.js', more, token)).output, /Wrote 1 entry/);
  await server.stop();

  // After a minute, the anchor job is due again, and runs as soon as a worker starts.
  await deployment.passTime(61_000);
  const later = await deployment.run();
  const newest = new RegExp(`"workspace_id":"${workspace.id}","seq":${seq + 1},`);
  const own = join(deployment.directory, 'audit-anchors.jsonl');
  for (const path of [place, own])
    await until(async () => newest.test(await textIn(path)), WAIT_MS_MAX);
  if (https) {
    await until(() => newest.test(https.received.text), WAIT_MS_MAX);
    const basic = Buffer.from('user:p@ss').toString('base64');
    deepEqual([...https.received.credentials], [`POST Basic ${basic}`]);
  }
  const jwks = join(directory, 'jwks.json');
  await writeFile(jwks, JSON.stringify(await later.as(null)('GET /.well-known/jwks.json')));
  await later.stop();

  const script = 'docs/verify-audit-chain.mjs';
  const offline = (path: string) => run(script, [path, '--anchors', place, '--jwks', jwks]);
  const checked = await offline(file);
  deepEqual(
    [checked.code, /^\d+ entries, intact, \d+ anchors match/m.test(checked.output)],
    [0, true],
  );
  const whole = await deployment.command('audit', 'verify', '--anchors', place, '--json');
  equal(whole.code, 0, whole.output);
  const report = JSON.parse(/^\{"ok".*$/m.exec(whole.output)?.[0] ?? '{}');
  deepEqual([report.ok, report.chains, report.broken, report.rows], [true, 1, [], seq + 1]);
  ok(report.anchors.used >= 1);

  if (storeName === 'postgres') await refusesOthers(deployment, place);

  await deployment.beyond(`set session_replication_role = replica;
    delete from keyrail.audit_logs where seq > ${seq};
    update keyrail.audit_heads set seq = ${seq},
      hash = (select hash from keyrail.audit_logs where seq = ${seq})`);
  const seen = await deployment.command('audit', 'verify', '--anchors', place);
  equal(seen.code, 1);
  match(
    seen.output,
    new RegExp(`broken at entry ${seq + 1}: Entries up to ${seq + 1} were anchored`),
  );
  const cut = join(directory, 'cut.jsonl');
  await writeFile(cut, (await textIn(file)).trimEnd().split('\n').slice(0, -1).join('\n'));
  const { code, output } = await offline(cut);
  deepEqual([code, /entry \d+ is gone: .*the end was cut off/.test(output)], [1, true], output);

  equal((await deployment.command('audit', 'check')).code, 2);
});

/**
 * Verification rejects a forged anchor and an unknown workspace. This runs only on PostgreSQL: on
 * the embedded store, each command takes seconds.
 */
async function refusesOthers(deployment: Deployment, place: string): Promise<void> {
  const altered = `${place}.altered`;
  await writeFile(altered, (await textIn(place)).replaceAll(/"count":\d+/g, '"count":99'));
  const forged = await deployment.command('audit', 'verify', '--anchors', altered);
  equal(forged.code, 1);
  match(forged.output, /line 1: rejected: The signature does not match the anchor/);
  const unknown = ['--workspace', '00000000-0000-7000-8000-000000000000'];
  equal((await deployment.command('audit', 'verify', ...unknown)).code, 2);
}
