// The verifier that stands in the docs, run as anyone would run it, against what the API answers
// and against answers that someone has been at.
import { equal, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bench } from '../../../../../tests/bench.ts';

const SCRIPT = join(import.meta.dirname, '../../../../../docs/verify-audit-chain.mjs');

type AuditRow = Record<string, unknown> & { seq: number; hash: string };
type Tampering = (rows: AuditRow[]) => AuditRow[];
type Outcome = { code: number; told: string };
type Verify = (...kept: string[]) => Promise<Outcome>;

/** The API of a workspace with a few rows, through someone who hands its answers on. */
async function verifying(t: TestContext): Promise<Verify & { tamper(by: Tampering): void }> {
  const { given, world, tokens } = await bench(t);
  await given.project();
  await given.tenant();
  let by: Tampering = (rows) => rows;
  const between = createServer(async ({ url = '', headers }, answer) => {
    const { authorization } = headers;
    const { body } = await world.app.http.inject({ url, headers: { authorization } });
    const value = JSON.parse(body);
    answer.end(JSON.stringify(value.object === 'list' ? { data: by(value.data) } : value));
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  t.after(() => between.close());
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const env = { ...process.env, SECRET_KEY: tokens.liveKey };
  const verify: Verify = (...kept) =>
    new Promise((resolve) =>
      execFile(process.execPath, [SCRIPT, url, ...kept], { env }, (error, out, complaint) =>
        resolve({ code: Number(error?.code ?? 0), told: out + complaint }),
      ),
    );
  return Object.assign(verify, {
    tamper(next: Tampering) {
      by = next;
    },
  });
}

const positionIn = (told: string): [string, string] => {
  const [, seq = '', hash = ''] = /: (\d+) ([0-9a-f]{64})$/.exec(told.trim()) ?? [];
  return [seq, hash];
};

test('what was not touched is whole, also held against what was kept', async (t) => {
  const verify = await verifying(t);
  const first = await verify();
  match(first.told, /^\d+ rows, whole\./);
  equal((await verify(...positionIn(first.told))).code, 0);
});

const tamperings: [string, Tampering, RegExp][] = [
  ['a word', (rows) => rows.map((row) => ({ ...row, action: 'project.deleted' })), /was edited/],
  ['a gap', (rows) => rows.filter(({ seq }) => seq !== 2), /row 2 is missing/],
  ['the beginning', (rows) => rows.filter(({ seq }) => seq > 1), /row 1 is missing/],
  ['the order', (rows) => rows.toReversed(), /is missing/],
  ['a twin', (rows) => rows.flatMap((row) => [row, row]), /is missing/],
  [
    'a second line of descent',
    (rows) => rows.map((row) => (row.seq === 3 ? { ...row, prev_hash: 'f'.repeat(64) } : row)),
    /does not link/,
  ],
];

test('what was edited, cut out, put in or moved is found', async (t) => {
  const verify = await verifying(t);
  for (const [what, by, words] of tamperings) {
    verify.tamper(by);
    const { code, told } = await verify();
    equal(code, 1, what);
    match(told, words, what);
  }
});

test('an end that was cut off is found by what was kept', async (t) => {
  const verify = await verifying(t);
  const kept = positionIn((await verify()).told);
  verify.tamper((rows) => rows.filter(({ seq }) => seq < Number(kept[0])));
  equal((await verify()).code, 0);
  match((await verify(...kept)).told, /the end was cut off/);
});

test('a position that cannot be held against anything is not passed over', async (t) => {
  const verify = await verifying(t);
  const [seq, hash] = positionIn((await verify()).told);
  const other = 'e'.repeat(64);
  for (const kept of [
    [hash, seq],
    [`${seq},${hash}`],
    [seq],
    ['0', hash],
    [seq, other],
    ['', ''],
  ]) {
    const { code, told } = await verify(...kept);
    equal(code, 1, `${kept}: ${told}`);
  }
});
