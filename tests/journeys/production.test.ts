// Runs the commands in docs/deploy.md as written, except for their paths. The server runs as a user
// who can neither change the code nor write outside the data directory.
//
// Two things differ from production. The dependencies are copied according to the lock file,
// because installing them would take longer than the rest of the test. The user is `nobody`, so
// that the test doesn't have to create a user on the machine.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readConfig } from '@keyrail/server/config.ts';
import { blocksOf, documents, root } from '@keyrail/testing/documents.ts';
import { freePort } from '@keyrail/testing/ports.ts';
import { findNode20, noNode20 } from '../../scripts/packing.ts';
import {
  asUser,
  closePlace,
  idOf,
  openPlace,
  PATH,
  type Place,
  runCommand,
  whyNot,
} from './production.ts';

const GUIDE = 'docs/deploy.md';
const UNIT = 'deploy/keyrail.service';
const skip = whyNot();

let place: Place = { folder: '', source: '', dependencies: '', data: '' };
before(async () => {
  if (!skip) place = await openPlace();
});
after(async () => {
  if (!skip) await closePlace(place);
});

const clone = (): string => join(place.folder, 'clone');

/** Replaces the paths, user and port in a text with this test's. */
const here = (text: string, port: number): string =>
  text
    .replaceAll('https://git.example.com/keyrail.git', place.source)
    .replaceAll('/opt/keyrail', clone())
    .replaceAll('/var/lib/keyrail', place.data)
    .replaceAll('/etc/keyrail', join(place.folder, 'settings'))
    .replaceAll(/(--reuid|-o) keyrail\b/g, `$1 ${idOf('-u')}`)
    .replaceAll(/(--regid|-g) keyrail\b/g, `$1 ${idOf('-g')}`)
    .replaceAll('4400', String(port));

/**
 * A shell function that replaces `npm ci --omit=dev`, which would take a long time. Any other npm
 * command fails.
 */
const NPM = 'npm() { [ "$*" = "ci --omit=dev" ] && mv "$DEPENDENCIES/node_modules" . &&';
const NESTED = 'cp -r "$DEPENDENCIES/packages" .; }';

test("the guide's commands install, start, probe and stop the server", { skip }, async () => {
  const guide = documents().filter(({ path }) => path === GUIDE);
  const blocks = guide.flatMap(blocksOf).filter(({ notRun }) => !notRun);
  ok(blocks.length >= 3, 'the blocks were found');
  const port = await freePort();
  const script = ['set -euo pipefail', `${NPM} ${NESTED}`, ...blocks.map(({ code }) => code)];
  const { code, output } = await runCommand(['bash', '-c', here(script.join('\n'), port)], {
    cwd: place.folder,
    env: { KEYRAIL_PORT: String(port), DEPENDENCIES: place.dependencies },
  });
  equal(code, 0, output);
  match(output, /"msg":"ready"/);
  match(output, /"status":"ok"/);
  match(output, /"signal":"SIGTERM"/);
  match(output, new RegExp(`"bootstrap_token_file":"${place.data}/bootstrap-token"`));
  const file = join(place.folder, 'settings/keyrail.env');
  equal(statSync(file).mode & 0o777, 0o600);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const { warnings, ...read } = readConfig(
    Object.fromEntries(lines.map((line) => line.split('=', 2))),
  );
  deepEqual([warnings, 'faults' in read && read.faults], [[], false]);
});

const settings = () => ({ KEYRAIL_PORT: '0', KEYRAIL_DATA_DIR: place.data });

/** Starts the server as the unprivileged user, uses it once it is ready, and stops it. */
async function startAndStop(
  words: string[],
  use: (url: string) => Promise<void> = async () => {},
): Promise<void> {
  const command = ['setpriv', ...asUser(), ...words];
  let used: Promise<void> | undefined;
  const { code, output } = await runCommand(
    command,
    { cwd: clone(), env: settings() },
    (text, stop) => {
      const url = /"url":"([^"]+)".*"msg":"ready"/.exec(text)?.[1];
      if (url !== undefined) used ??= use(url).finally(stop);
    },
  );
  ok(used, output);
  await used;
  equal(code, 0, output);
  match(output, /"signal":"SIGTERM"/);
  equal(/installing|EACCES/.exec(output), null, output);
}

/** Loads the dashboard page and every file it refers to. */
async function openDashboard(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const names = page.match(/\/assets\/[\w.-]+/g) ?? [];
  ok(names.some((name) => name.endsWith('.js')) && names.some((name) => name.endsWith('.css')));
  for (const name of names) {
    const { status, headers } = await fetch(`${url}${name}`);
    equal(status, 200, name);
    match(headers.get('cache-control') ?? '', /immutable/, name);
  }
}

test('npm start needs no development dependencies, writes nothing to the clone, and serves the dashboard', {
  skip,
}, async () => {
  await startAndStop(['npm', 'start'], openDashboard);
  const git = ['status', '--porcelain', '--ignored'];
  const changed = execFileSync('git', git, { cwd: clone(), encoding: 'utf8' });
  deepEqual(changed.trim().split('\n').toSorted(), [
    '!! node_modules/',
    '!! packages/dashboard/dist/',
    '!! packages/server/dist/',
    '!! packages/server/node_modules/',
  ]);
});

test('on an older Node.js, the entry point runs the installed Node.js and forwards signals', {
  skip,
}, async (t) => {
  const node = await findNode20();
  if (node === null) return t.skip(noNode20);
  await startAndStop([node, join(clone(), 'packages/server/bin/keyrail-server.js'), 'start']);
});

test('starting without dependencies installed prints one sentence that says what to do', {
  skip,
}, async (t) => {
  const node = await findNode20();
  if (node === null) return t.skip(noNode20);
  const entry = join(place.source, 'packages/server/bin/keyrail-server.js');
  for (const [words, line] of [
    [[node, entry, 'start'], /^keyrail-server: .*not installed: run "npm ci --omit=dev" in .*$/],
    [['npm', 'start', '--silent'], /^keyrail: dependencies are missing .* run "npm ci --omit=dev"/],
  ] as const) {
    const command = ['setpriv', ...asUser(), ...words];
    const { code, output } = await runCommand(command, { cwd: place.source, env: settings() });
    equal(code, 1, output);
    match(output.trim(), line);
    equal(output.trim().split('\n').length, 1, output);
  }
});

test("the systemd unit runs the guide's command, and systemd accepts the unit", {
  skip,
}, async (t) => {
  const unit = readFileSync(join(root, UNIT), 'utf8');
  const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
  ok(readFileSync(join(root, GUIDE), 'utf8').includes(command), command);
  if (spawnSync('systemd-analyze', ['--version'], { env: { PATH } }).error) {
    return t.skip('no systemd-analyze on this machine');
  }
  const file = join(place.folder, 'keyrail.service');
  writeFileSync(file, unit.replaceAll('/opt/keyrail', clone()));
  const { code, output } = await runCommand(['systemd-analyze', 'verify', file], {
    cwd: place.folder,
    env: {},
  });
  deepEqual({ code, output }, { code: 0, output: '' });
});
