// Runs the image: on any machine that allows it, its files under a read-only root; where podman and
// the base image are available, the image itself. KEYRAIL_TEST_IMAGE_BASE selects a different base
// image.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { unpackEmbeddedCopy } from '@keyrail/testing/database-copies.ts';
import { root } from '@keyrail/testing/documents.ts';
import { freePort } from '@keyrail/testing/ports.ts';
import { mainIn } from '@keyrail/testing/processes/server-program.ts';
import { until } from '@keyrail/testing/until.ts';
import { copiedInto, copies, lastOf } from './image-files.ts';
import { copyServerModules, runReadOnly, whyNoNamespace } from './read-only-root.ts';

const PLACE = 'opt/keyrail';
const BUILT = ['packages/server/dist', 'packages/dashboard/dist'];
const IMAGE = 'localhost/keyrail-test';
const IMAGE_MS_MAX = 230_000;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'kr-image-'));
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A data directory that contains a database, because creating one takes seconds. */
async function dataIn(folder: string): Promise<string> {
  const place = join(folder, 'data');
  await unpackEmbeddedCopy(join(place, 'database'));
  execFileSync('chown', ['-R', lastOf('USER'), place]);
  chmodSync(place, 0o700);
  return place;
}

/** Copies exactly the files in the image's last stage to `to`. */
async function copyImageFiles(to: string): Promise<void> {
  const given = copiedInto(0);
  const taken = copies().filter(({ fromStage }) => fromStage);
  const wanted = taken.flatMap(({ sources }) => sources.map((one) => one.slice(PLACE.length + 2)));
  const files = given.filter((path) =>
    wanted.some((one) => path === one || path.startsWith(`${one}/`)),
  );
  ok(files.length > 200 && wanted.includes('node_modules'));
  for (const path of [...files, ...copiedInto(1)]) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, path), join(to, path));
  }
  for (const path of BUILT) {
    ok(
      wanted.some((one) => path.startsWith(one)),
      path,
    );
    cpSync(join(root, path), join(to, path), { recursive: true });
  }
  await copyServerModules(to);
}

/** Runs the Dockerfile's health check command and returns its exit code. */
const probe = (port: number): number | null => {
  const check: string[] = JSON.parse(/CMD (\[.*\])$/.exec(lastOf('HEALTHCHECK'))?.[1] ?? '[]');
  const words = check.slice(1).map((word) => word.replace(':4400/', `:${port}/`));
  return spawnSync(process.execPath, words, { cwd: root }).status;
};

async function useServer(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  for (const path of ['/readyz', '/healthz', '/widget.js']) {
    equal((await fetch(url + path)).status, 200, path);
  }
  match(await (await fetch(url)).text(), /\/assets\/main-/);
  equal(probe(port), 0);
}

test("the server runs with nothing but the image's files, under a read-only root", {
  skip: whyNoNamespace(),
}, async (t) => {
  const folder = folderFor(t);
  const image = join(folder, 'image');
  await copyImageFiles(join(image, PLACE));
  mkdirSync(join(image, 'var/lib/keyrail'), { recursive: true });
  match(mainIn(join(image, PLACE)), /\/packages\/server\/dist\/program-\w+\/main\.js$/);
  const port = await freePort();
  const { code, output } = await runReadOnly(
    {
      folder: image,
      data: await dataIn(folder),
      node: process.execPath,
      user: lastOf('USER'),
      // ARM machines have no /lib64.
      binds: ['/usr', '/bin', '/lib', '/lib64', '/etc', '/dev', '/proc'].filter(existsSync),
      env: { KEYRAIL_PORT: String(port), KEYRAIL_DATA_DIR: '/var/lib/keyrail' },
    },
    () => useServer(port),
  );
  equal(code, 0, output);
  match(output, /"msg":"ready"/);
  equal(/EROFS|EACCES/.exec(output), null, output);
  equal(probe(port), 1);
  const [, ms] = /"ms":(\d+)[^\n]*"msg":"ready"/.exec(output) ?? [];
  const [size] = execFileSync('du', ['-sm', image], { encoding: 'utf8' }).split('\t');
  t.diagnostic(`${size} MB of files; ready after ${ms} ms`);
});

/**
 * These commands need a timeout of their own: they are synchronous, so they block the test's timer.
 */
const TIMED = { timeout: 200_000 };

const podman = (...words: string[]): string =>
  execFileSync('podman', words, {
    ...TIMED,
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** Returns the base image, or the reason why there is none. */
function findBase(): { base: string } | { reason: string } {
  if (spawnSync('podman', ['--version']).error) return { reason: 'no podman on this machine' };
  const [, usual = ''] =
    /^ARG BASE=(\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  const base = process.env.KEYRAIL_TEST_IMAGE_BASE ?? usual;
  if (spawnSync('podman', ['image', 'exists', base], TIMED).status === 0) return { base };
  return { reason: `no base image on this machine: run "podman pull ${base}" first` };
}

test('the image can be built, runs read-only, and is healthy', {
  timeout: IMAGE_MS_MAX,
}, async (t) => {
  const found = findBase();
  if ('reason' in found) return t.skip(found.reason);
  const argument = `BASE=${found.base}`;
  podman(
    'build',
    '--format=docker',
    '--isolation=chroot',
    '--network=host',
    '--build-arg',
    argument,
    '-t',
    IMAGE,
    '.',
  );
  t.after(() => podman('rmi', '--force', IMAGE));
  const bytes = Number(podman('image', 'inspect', IMAGE, '--format', '{{.Size}}'));
  const port = await freePort();
  const begin = performance.now();
  const setting = `KEYRAIL_PORT=${port}`;
  const words = ['--read-only', '--cap-drop=ALL', '--network=host', '--env', setting, IMAGE];
  const run = spawnSync('podman', ['run', '--detach', ...words], { encoding: 'utf8', ...TIMED });
  if (run.status === 0) {
    const id = run.stdout.trim();
    t.after(() => podman('rm', '--force', '--volumes', id));
    await until(
      async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true,
      60_000,
    );
    await useServer(port);
  } else {
    t.diagnostic(`podman cannot run a container here: ${run.stderr.trim().split('\n').at(-1)}`);
    const reason = whyNoNamespace();
    if (reason) return t.skip(reason);
    await runMounted(t, port);
  }
  const ms = Math.round(performance.now() - begin);
  console.log(`image: ${Math.round(bytes / 1e6)} MB; started and probed in ${ms} ms`);
});

/**
 * Runs the server with the image's files as its root file system, on machines where podman can
 * build images but not run them.
 */
async function runMounted(t: TestContext, port: number): Promise<void> {
  const folder = podman('image', 'mount', IMAGE);
  // Unmounts the image in `finally` instead of a hook: hooks run in order, and the first one
  // removes the image.
  try {
    const { code, output } = await runReadOnly(
      {
        folder,
        data: await dataIn(folderFor(t)),
        node: '/usr/local/bin/node',
        user: lastOf('USER'),
        binds: ['/dev', '/proc'],
        env: { KEYRAIL_PORT: String(port), KEYRAIL_DATA_DIR: '/var/lib/keyrail' },
      },
      () => useServer(port),
    );
    deepEqual([code, /EROFS|EACCES/.exec(output)], [0, null], output);
  } finally {
    podman('image', 'unmount', '--force', IMAGE);
  }
}

test('docker-compose accepts the compose file', (t) => {
  if (spawnSync('docker-compose', ['--version']).error) return t.skip('no docker-compose here');
  const file = join(folderFor(t), 'compose.yaml');
  // The distribution's version is too old to support project names.
  const text = readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8').replace(
    /^name: .*$/m,
    '',
  );
  writeFileSync(file, text);
  const secrets = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => [name, 'x']);
  const env = { PATH: process.env.PATH, ...Object.fromEntries(secrets) };
  const ended = spawnSync('docker-compose', ['-f', file, 'config', '-q'], {
    env,
    encoding: 'utf8',
  });
  deepEqual([ended.status, ended.stderr], [0, '']);
});

test('kubectl builds the manifests', (t) => {
  if (spawnSync('kubectl', ['help']).error) return t.skip('no kubectl on this machine');
  const ended = spawnSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes')], {
    encoding: 'utf8',
  });
  equal(ended.status, 0, ended.stderr);
  deepEqual(
    ended.stdout
      .match(/^kind: .*$/gm)
      ?.map((line) => line.slice('kind: '.length))
      .sort(),
    [
      'ConfigMap',
      'Deployment',
      'Deployment',
      'NetworkPolicy',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'Service',
    ],
  );
});
