// `keyrail audit export`: starting a file, resuming an incomplete file, and verifying a file
// offline with the script.
import { deepEqual, equal, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createAnchorJob } from '@keyrail/server/features/audit/anchor-heads.job.ts';
import { setUpCli } from '../../test/harness.ts';

const SCRIPT = join(import.meta.dirname, '../../../../docs/verify-audit-chain.mjs');

type Outcome = { code: number; output: string };

const verify = (...args: string[]): Promise<Outcome> =>
  new Promise((resolve) =>
    execFile(process.execPath, [SCRIPT, ...args], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    ),
  );

async function setUp(t: TestContext) {
  const stood = await setUpCli(t);
  await stood.given.key();
  const file = join(stood.home, 'audit.jsonl');
  const run = (...more: string[]) => stood.here(['audit', 'export', '--out', file, ...more]);
  const lastSeq = async () => (await stood.as.liveKey('GET /v1/audit_logs/chain')).head_seq;
  return { ...stood, file, run, lastSeq };
}

test('an export can be resumed after its last complete entry, even if the file ends with an incomplete line', async (t) => {
  const { file, run, lastSeq, given } = await setUp(t);
  const first = await lastSeq();
  equal((await run()).code, 0);
  equal((await stat(file)).mode & 0o777, 0o600);
  equal((await run()).code, 2, 'a file is not overwritten');
  await given.tenant();
  const wrong = await run('--since', String(first - 1));
  deepEqual([wrong.code, /--since \d+/.exec(wrong.stderr)?.[0]], [2, `--since ${first}`]);
  await appendFile(file, '{"seq":');
  equal((await run('--since', String(first))).code, 0);
  const last = await lastSeq();
  const rows = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(1);
  deepEqual(
    rows.map((row) => JSON.parse(row).seq),
    Array.from({ length: last }, (_, at) => at + 1),
  );
  match((await verify(file)).output, new RegExp(`${last} entries, intact`));
});

test('an edited export cannot be resumed, and the verification script reports the edited entry', async (t) => {
  const { file, run, lastSeq } = await setUp(t);
  await run();
  const lines = (await readFile(file, 'utf8')).split('\n');
  lines[2] = (lines[2] ?? '').replace(/"action":"\w+/, '"action":"forged');
  await writeFile(file, lines.join('\n'));
  const { code, stderr } = await run('--since', String(await lastSeq()));
  equal(code, 1);
  match(stderr, /Entry 2 doesn't match its hash/);
  deepEqual(await verify(file), { code: 1, output: 'Not verified: entry 2 was edited\n' });
});

test('given saved anchors and a JWKS, the script can detect offline that the end of an export is missing', async (t) => {
  const { file, run, testApp, as, home, here } = await setUp(t);
  await createAnchorJob(testApp.app.worker)();
  await run();
  const anchors = join(home, 'anchors.jsonl');
  const jwks = join(home, 'jwks.json');
  const anchor = await as.liveKey('GET /v1/audit_logs/anchor');
  await writeFile(anchors, (await here(['audit', 'anchor', '--json'])).stdout);
  await writeFile(jwks, JSON.stringify(await as.nobody('GET /.well-known/jwks.json')));
  const kept = ['--anchors', anchors, '--jwks', jwks];
  match((await verify(file, ...kept)).output, /intact, 1 anchors match/);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  await writeFile(file, `${lines.slice(0, -1).join('\n')}\n`);
  equal((await verify(file)).code, 0, 'without anchors it looks complete');
  const { code, output } = await verify(file, ...kept);
  equal(code, 1);
  match(output, new RegExp(`entry ${anchor.seq} is gone: .* the end was cut off`));
  await writeFile(anchors, `${JSON.stringify({ ...anchor, seq: 1, count: 1 })}\n`);
  match((await verify(file, ...kept)).output, /line 1: no key of the JWKS signed this/);
});

test("an export with the test environment's secret key fails, because that key cannot see every entry", async (t) => {
  const { file, here, tokens } = await setUp(t);
  const env = { KEYRAIL_TOKEN: tokens.testKey };
  const { code, stderr } = await here(['audit', 'export', '--out', file], { env });
  equal(code, 1, stderr);
  match(stderr, /is missing from the audit log/);
});
