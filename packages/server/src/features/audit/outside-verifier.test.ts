// The verifier script from the docs, run against real API responses and against tampered ones.
import { equal, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { harness } from '@keyrail/testing/harness.ts';

const SCRIPT = join(import.meta.dirname, '../../../../../docs/verify-audit-chain.mjs');

type AuditRow = Record<string, unknown> & { seq: number; hash: string };
type Tampering = (rows: AuditRow[]) => AuditRow[];
type Outcome = { code: number; output: string };
type Verify = (...kept: string[]) => Promise<Outcome>;

/** Runs the script against a proxy that may tamper with the API's responses. */
async function verifying(t: TestContext): Promise<Verify & { tamper(by: Tampering): void }> {
  const { given, testApp, tokens } = await harness(t);
  await given.project();
  await given.tenant();
  let by: Tampering = (rows) => rows;
  const proxy = createServer(async ({ url = '', headers }, answer) => {
    const { authorization } = headers;
    const { body } = await testApp.app.http.inject({ url, headers: { authorization } });
    const value = JSON.parse(body);
    answer.end(JSON.stringify(value.object === 'list' ? { data: by(value.data) } : value));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { ...process.env, SECRET_KEY: tokens.liveKey };
  const verify: Verify = (...kept) =>
    new Promise((resolve) =>
      execFile(process.execPath, [SCRIPT, url, ...kept], { env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      ),
    );
  return Object.assign(verify, {
    tamper(next: Tampering) {
      by = next;
    },
  });
}

const positionIn = (output: string): [string, string] => {
  const [, seq = '', hash = ''] = /: (\d+) ([0-9a-f]{64})$/.exec(output.trim()) ?? [];
  return [seq, hash];
};

test('an untouched log passes, with or without a saved position', async (t) => {
  const verify = await verifying(t);
  const first = await verify();
  match(first.output, /^\d+ entries, intact\./);
  equal((await verify(...positionIn(first.output))).code, 0);
});

const tamperings: [string, Tampering, RegExp][] = [
  [
    'an edited row',
    (rows) => rows.map((row) => ({ ...row, action: 'project.deleted' })),
    /was edited/,
  ],
  ['a missing row', (rows) => rows.filter(({ seq }) => seq !== 2), /entry 2 is missing/],
  ['a missing first row', (rows) => rows.filter(({ seq }) => seq > 1), /entry 1 is missing/],
  ['a reversed order', (rows) => rows.toReversed(), /is missing/],
  ['duplicate rows', (rows) => rows.flatMap((row) => [row, row]), /is missing/],
  [
    'a link to another row',
    (rows) => rows.map((row) => (row.seq === 3 ? { ...row, prev_hash: 'f'.repeat(64) } : row)),
    /does not link/,
  ],
];

test('edited, removed, duplicated and reordered entries are detected', async (t) => {
  const verify = await verifying(t);
  for (const [what, by, words] of tamperings) {
    verify.tamper(by);
    const { code, output } = await verify();
    equal(code, 1, what);
    match(output, words, what);
  }
});

test('a saved position reveals that a log was truncated', async (t) => {
  const verify = await verifying(t);
  const kept = positionIn((await verify()).output);
  verify.tamper((rows) => rows.filter(({ seq }) => seq < Number(kept[0])));
  equal((await verify()).code, 0);
  match((await verify(...kept)).output, /the end was cut off/);
});

test('a malformed or wrong saved position is an error', async (t) => {
  const verify = await verifying(t);
  const [seq, hash] = positionIn((await verify()).output);
  const other = 'e'.repeat(64);
  for (const kept of [
    [hash, seq],
    [`${seq},${hash}`],
    [seq],
    ['0', hash],
    [seq, other],
    ['', ''],
  ]) {
    const { code, output } = await verify(...kept);
    equal(code, 1, `${kept}: ${output}`);
  }
});
