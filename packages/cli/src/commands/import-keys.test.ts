// `keyrail keys import`: CSV and JSON Lines files, invalid rows, interruptions.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';
import { foreignKey } from '@keyrail/testing/imports.ts';
import { inherited } from '@keyrail/testing/processes/environment.ts';
import { forwarder, type Hold } from '../../test/forwarder.ts';
import { program, type Ran, setUpCli } from '../../test/harness.ts';
import { atTerminal, hasTerminals, noTerminals } from '../../test/pseudo-terminal.ts';

async function setUp(t: TestContext) {
  const stood = await setUpCli(t);
  const project = await stood.given.project();
  const tenant = await stood.given.tenant({ external_id: 'Globex, "Inc."' });
  const run = async (name: string, content: string | Buffer, more = ''): Promise<Ran> => {
    const file = join(stood.home, name);
    await writeFile(file, content);
    const words = ['keys', 'import', file, '--project', project.slug, '--env', 'live'];
    return stood.here([...words, ...more.split(' ').filter(Boolean)]);
  };
  const imported = async () =>
    (await stood.as.liveKey('GET /v1/keys', { project_id: project.id, limit: 200 })).data;
  return { ...stood, project, tenant, run, imported };
}

const TENANT = '"Globex, ""Inc."""';

/** Returns a CSV file of plain keys, with rows large enough that only three fit in a batch. */
const largeCsv = (tenants: readonly string[]): string => {
  const note = 'x'.repeat(300_000);
  const rows = tenants.map((tenant) => `${foreignKey()},${tenant},"{""note"":""${note}""}"`);
  return ['key,tenant_external_id,meta', ...rows].join('\n');
};

const totalOf = ({ stdout }: Ran) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');

test('plain keys in a CSV file are hashed locally and never sent', async (t) => {
  const { run, imported, tenant, url } = await setUp(t);
  const proxy = await forwarder(t, url);
  const texts = [foreignKey(), foreignKey(), `${foreignKey()}, "x"`];
  const rows = [
    'key,tenant_external_id,name,scopes,meta,rate_limits,expires_at',
    `${texts[0]},${TENANT},,,,,`,
    '',
    `${texts[1]},${TENANT},"Line 1\r\nLine 2",read  write,"{""plan"":""gold""}",[],2090-01-31T12:00:00Z`,
    `"${texts[2]?.replaceAll('"', '""')}",${TENANT},,"[""a b""]",,,`,
  ];
  const content = Buffer.from(`\ufeff${rows.join('\r\n')}`);
  const ran = await run('keys.csv', content, `--plain --url ${proxy.url}`);
  deepEqual([ran.code, ran.stdout], [0, 'Imported 3 keys.\n'], ran.stderr);
  for (const text of texts) equal(proxy.bodies.join().includes(text.slice(0, 20)), false);
  ok(proxy.bodies.join().includes(lookupHash(texts[0] ?? '')));
  const keys = (await imported()).toReversed();
  deepEqual(
    keys.map(({ tenant_id, display_prefix }) => [tenant_id, display_prefix]),
    texts.map((text) => [tenant.id, text.slice(0, Math.floor(text.length / 4))]),
  );
  const { name, scopes, meta, rate_limits, expires_at } = keys[1] ?? {};
  deepEqual(
    [name, scopes, meta, rate_limits, expires_at],
    ['Line 1\r\nLine 2', ['read', 'write'], { plan: 'gold' }, [], '2090-01-31T12:00:00.000Z'],
  );
  deepEqual(keys[2]?.scopes, ['a b']);
});

test('hashes in a JSON Lines file are imported, and a second import skips them', async (t) => {
  const { run, imported, tenant } = await setUp(t);
  const line = (more: object = {}) =>
    JSON.stringify({
      tenant_id: tenant.id,
      lookup_hash: lookupHash(foreignKey()).toUpperCase(),
      display_prefix: 'Old key',
      ...more,
    });
  const first = [line(), line({ scopes: ['a'] })].join('\n');
  const ran = await run('keys.jsonl', first, '--json');
  const [batch, total] = ran.stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  deepEqual(total, { rows: 2, imported: 2, known: 0 });
  deepEqual([batch.lines, batch.ids.length, batch.known], [[1, 2], 2, []]);
  const more = `${first}\r\n\n${line()}\n${line({ name: 'Twice' })}\n`;
  const again = await run('keys.ndjson', `${more}${more.split('\n').at(-2)}`);
  equal(again.stdout, 'Imported 2 keys.\n');
  match(again.stderr, /Rows skipped because their key already exists: 3 \(lines 1, 2, 6\)\./);
  equal((await imported()).length, 4);
  const quiet = await run('keys.other', line(), '--quiet --format jsonl');
  match(quiet.stdout, /^[\da-f-]{36}\n$/);
  const third = await run('keys.jsonl', more, '--json');
  deepEqual(totalOf(third), { rows: 4, imported: 0, known: 4 });
});

test('if a file contains invalid rows, their line numbers are listed and nothing is imported', async (t) => {
  const { run, imported, here, home } = await setUp(t);
  const secret = foreignKey();
  const header = 'key,tenant_external_id,display_prefix,meta';
  const good = `${foreignKey()},a,,`;
  const bad: [row: string, says: string][] = [
    [`${secret},a,`, 'has 3 cells, but the header has 4'],
    ['short,a,,', 'key must be 8 to 512'],
    [`kr_live_${secret},a,,`, 'key must be 8 to 512'],
    [`${secret},,,`, 'must have either tenant_id or tenant_external_id'],
    [`${secret},a,kr_live_,`, 'display_prefix must have'],
    [`${secret},a,,{`, "meta isn't valid JSON"],
    [`${secret},a,,[]`, 'meta must be a JSON object'],
  ];
  const rows = [header, good, ...bad.map(([row]) => row)];
  const ran = await run('keys.csv', rows.join('\n'), '--plain');
  equal(ran.code, 2);
  match(ran.stderr, /7 of 8 rows are invalid\. Nothing was imported\./);
  for (const [at, [, says]] of bad.entries()) {
    ok(ran.stderr.includes(`line ${at + 3}: ${says}`), ran.stderr);
  }
  equal(ran.stderr.includes(secret), false, 'no key is printed');
  const whole: [content: string, says: RegExp][] = [
    ['', /Line 1: the file has no header/],
    [header, /The file contains no rows/],
    ['lookup_hash,tenant_id\n', /Line 1: the header contains a hash: remove --plain/],
    ['key,colour\n', /Line 1: the header contains an unknown field/],
    ['key,key\n', /Line 1: a column appears twice/],
    [`${header}\n"x`, /Line 2: a quoted cell isn't closed/],
  ];
  for (const [content, says] of whole) {
    const refused = await run('keys.csv', content, '--plain');
    match(refused.stderr, says);
    equal(refused.code, 2);
  }
  match((await run('keys.csv', `${header}\n${good}`)).stderr, /full key: use --plain/);
  match((await run('keys.csv', Buffer.from([0xff, 0xfe, 0x00]))).stderr, /not UTF-8/);
  match((await run('keys.txt', '')).stderr, /Pass --format/);
  const folder = await here([
    'keys',
    'import',
    home,
    '--project',
    'x',
    '--env',
    'live',
    '--format',
    'csv',
  ]);
  match(folder.stderr, /isn't a readable file/);
  deepEqual(await imported(), []);
});

test('an error from the server is reported with the line it refers to, and the import can be run again', async (t) => {
  const { run, imported, given } = await setUp(t);
  const content = largeCsv([TENANT, TENANT, TENANT, TENANT, 'new']);
  const dry = await run('keys.csv', content, '--plain --dry-run');
  equal(dry.code, 1);
  match(dry.stderr, /1 tenant doesn't exist\. Nothing was imported\.\n {2}new/);
  deepEqual(await imported(), []);
  const ran = await run('keys.csv', content, '--plain');
  equal(ran.code, 1);
  match(ran.stderr, /line 6: tenant_external_id: No such tenant\./);
  equal((await imported()).length, 3, 'the first batch is imported');
  await given.tenant({ external_id: 'new' });
  const checked = await run('keys.csv', content, '--plain --dry-run --json');
  deepEqual(JSON.parse(checked.stdout), { rows: 5, tenants: 2, imported: 0, dry_run: true });
  const again = await run('keys.csv', content, '--plain --json');
  deepEqual(totalOf(again), { rows: 5, imported: 2, known: 3 });
});

for (const moment of ['before', 'after'] as const) {
  test(`each key is imported only once, even if the CLI is killed ${moment} a batch is committed`, async (t) => {
    const { run, home, url, tokens, project, as } = await setUp(t);
    const proxy = await forwarder(t, url);
    const content = largeCsv(Array.from({ length: 8 }, () => TENANT));
    const file = join(home, 'keys.csv');
    await writeFile(file, content);
    let batches = 0;
    const second: Hold = (body) => {
      if (body.includes('"keys"')) batches += 1;
      return batches === 2 ? moment : null;
    };
    proxy.hold = second;
    const words = ['keys', 'import', file, '--project', project.slug, '--env', 'live', '--plain'];
    const child = spawn(process.execPath, [await program(), ...words], {
      env: { ...inherited(), HOME: home, KEYRAIL_URL: proxy.url, KEYRAIL_TOKEN: tokens.liveKey },
    });
    await proxy.held;
    child.kill('SIGKILL');
    await once(child, 'close');
    const ran = await run('keys.csv', content, '--plain --json');
    const known = moment === 'after' ? 6 : 3;
    deepEqual(totalOf(ran), { rows: 8, imported: 8 - known, known });
    const { data } = await as.liveKey('GET /v1/audit_logs', { limit: 200 });
    const counts = data.flatMap(({ action, payload }) =>
      action === 'api_key.imported' ? [Number(payload.count)] : [],
    );
    equal(
      counts.reduce((sum, count) => sum + count, 0),
      8,
    );
  });
}

test('on a terminal, an import shows a progress bar', async (t) => {
  if (!hasTerminals) return t.skip(noTerminals);
  const { home, url, tokens, project } = await setUp(t);
  const file = join(home, 'keys.csv');
  await writeFile(file, largeCsv(Array.from({ length: 5 }, () => TENANT)));
  const env = { HOME: home, KEYRAIL_URL: url, KEYRAIL_TOKEN: tokens.liveKey };
  const words = `keys import ${file} --project ${project.slug} --env live --plain`;
  const { screen, code } = await atTerminal(words, { env });
  equal(code, 0, screen);
  match(stripVTControlCharacters(screen), /█+░* \d+ % {2}3 of 5 rows, 3 imported/);
  match(stripVTControlCharacters(screen), /Imported 5 keys\./);
});

test("escape sequences in a file's external IDs are not printed to the terminal", async (t) => {
  const { run } = await setUp(t);
  const content = `key,tenant_external_id\n${foreignKey()},\u001b]0;owned\u0007\u001b[2J`;
  const { code, stdout, stderr } = await run('keys.csv', content, '--plain --dry-run');
  equal(code, 1);
  match(stderr, /\\u001b\]0;owned\\u0007\\u001b\[2J/);
  const printed = stdout + stderr;
  equal(printed.includes('\u001b') || printed.includes('\u0007'), false);
});
