// The lock on a data directory also works between Linux namespaces, as in containers.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inherited, serverProgram } from '@keyrail/testing/processes/environment.ts';
import { BOOTSTRAP_TOKEN, dataDirectory } from '@keyrail/testing/processes/homes.ts';
import {
  assertDecent,
  audit,
  openLedger,
  startWriting,
  writeOnce,
  writesOf,
} from '@keyrail/testing/processes/ledger.ts';
import { runServer, type Settings, startServer } from '@keyrail/testing/processes/server.ts';

const permitted = spawnSync('unshare', ['-n', '-m', 'true']).status === 0;
const skip = !permitted && 'unshare is not permitted here: NAMESPACES ARE NOT TESTED';
const RACES = 20;
const LOCK_PROGRAM = fileURLToPath(
  import.meta.resolve('@keyrail/testing/processes/lock-program.ts'),
);

type Run = { child: ChildProcess; output: Promise<string>; first: Promise<string> };

function run(t: TestContext, words: readonly string[], settings: Settings = {}): Run {
  const [command = '', ...args] = words;
  const child = spawn(command, args, {
    env: { ...inherited(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  const first = Promise.withResolvers<string>();
  const output = new Promise<string>((resolve) => child.on('close', () => resolve(printed)));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      first.resolve(printed);
    });
  }
  return { child, output, first: first.promise };
}

const migrating = [process.execPath, ...serverProgram(['migrate'])];

test('a second process in a different namespace is turned away, and the first is unaffected', {
  skip,
}, async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  const first = await startServer(home.settings);
  t.after(first.kill);
  const ledger = await openLedger(first.url, BOOTSTRAP_TOKEN);
  const load = startWriting(2, () => writeOnce(first.url, ledger));
  const elsewhere = `${home.path}-mounted`;
  await mkdir(elsewhere);
  t.after(() => rm(elsewhere, { recursive: true, force: true }));
  const mounted = { ...home.settings, KEYRAIL_DATA_DIR: elsewhere };
  const mounting = `mount --bind "$0" "${elsewhere}" && exec "$@"`;
  const through = (...namespaces: string[]) =>
    run(t, ['unshare', ...namespaces, 'sh', '-c', mounting, home.path, ...migrating], mounted);
  const refusals = await Promise.all([
    run(t, ['unshare', '-n', ...migrating], home.settings).output,
    through('-m').output,
    through('-m', '-n').output,
  ]);
  for (const refusal of refusals) match(refusal, /Another Keyrail process is using/);
  // A busy server may reject some writes with a 503, but must acknowledge others.
  await writesOf(ledger, 1);
  await load.stop();
  assertDecent(ledger);
  await audit(first.url, ledger);
  await first.kill();

  const again = await run(t, ['unshare', '-n', ...migrating], home.settings).output;
  match(again, /up to date/, 'the lock of a killed process does not block a start');
});

test('if two processes start together after a kill, exactly one gets the directory', {
  skip,
}, async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'kr-lock-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  const program = ['unshare', '-n', process.execPath, LOCK_PROGRAM, path];
  for (let race = 0; race < RACES; race += 1) {
    const racers = [run(t, program), run(t, program)];
    const said = await Promise.all(racers.map(({ first }) => first));
    equal(said.filter((text) => text === 'held\n').length, 1, said.join());
    ok(
      said.some((text) => text.includes('Another Keyrail process is using')),
      said.join(),
    );
    for (const { child } of racers) child.kill('SIGKILL');
    await Promise.all(racers.map(({ output }) => output));
    equal((await readdir(path)).length, 1, 'only the socket of the dead process is left');
  }
});

test('a directory path of any length can be locked', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'kr-lock-')), 'x'.repeat(200));
  t.after(() => rm(join(path, '..'), { recursive: true, force: true }));
  const holder = run(t, [process.execPath, LOCK_PROGRAM, path]);
  equal(await holder.first, 'held\n');
  match(await run(t, [process.execPath, LOCK_PROGRAM, path]).output, /Another Keyrail process/);
});

test('a directory whose files have been lost is rejected and not overwritten', async (t) => {
  const home = await dataDirectory();
  t.after(home.close);
  equal((await runServer(['migrate'], home.settings)).code, 0);
  const version = join(home.path, 'database/PG_VERSION');
  await rename(version, `${version}.away`);
  const before = await readdir(join(home.path, 'database'));
  for (const command of ['start', 'migrate']) {
    const { code, output } = await runServer([command], home.settings);
    equal(code, 1, output);
    match(output, /has lost its files: PG_VERSION is missing/);
  }
  deepEqual(await readdir(join(home.path, 'database')), before);
  equal(existsSync(version), false);
  await rename(`${version}.away`, version);
  equal((await runServer(['migrate'], home.settings)).code, 0);
});
