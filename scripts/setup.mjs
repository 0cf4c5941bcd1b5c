/**
 * The first step of every npm script: installs what is missing, makes sure that the script will run
 * on a Node.js version that can execute TypeScript, and builds the server's program, the dashboard,
 * the published packages and the empty embedded database. With `--server`, it installs and builds
 * only what the server needs to start; the next run without that option adds the rest. Plain
 * JavaScript without dependencies, because it must run on an old Node.js with nothing installed.
 * Silent when there is nothing to do.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildProgram, isProgramMissing } from '../packages/server/bin/program.mjs';
import { buildBrowser, isBrowserStale } from './build-browser.mjs';
import { buildDatabase, isDatabaseMissing } from './build-database.mjs';
import { buildPackages, stalePackages } from './build-packages.mjs';
import {
  installMissing,
  isInside,
  isWritable,
  majorOf,
  modules,
  NODE_MAJOR_MIN,
  root,
} from './setup-install.mjs';
import { withLock } from './setup-lock.mjs';
import { step } from './setup-progress.mjs';

const pinnedNode = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

async function setUp({ serverOnly }) {
  await installMissing({ serverOnly });
  checkRuntime();
  // In a read-only clone, the server runs from source and without the dashboard.
  if (serverOnly && !isWritable(join(root, 'packages'))) return;
  const isBuilt = () =>
    !isProgramMissing(root) &&
    !isBrowserStale(root) &&
    !isDatabaseMissing(root) &&
    (serverOnly || stalePackages(root).length === 0);
  if (isBuilt()) return;
  await withLock(root, () => build({ serverOnly }));
}

/** Skips anything that another process has built while this one was waiting for the lock. */
async function build({ serverOnly }) {
  // A separate process creates the database, in parallel with the other builds.
  const needsDatabase = isDatabaseMissing(root);
  const created = needsDatabase
    ? buildDatabase(root).catch((error) => console.error(`keyrail: ${error.message}`))
    : null;
  const buildPart = (what, work) =>
    step(`building ${what}`, work).catch((error) => {
      if (!serverOnly) throw error;
      console.error(`keyrail: failed to build ${what}: ${error.message}`);
    });
  try {
    if (isProgramMissing(root)) await buildPart('the server', () => buildProgram(root));
    if (isBrowserStale(root)) await buildPart('the dashboard', () => buildBrowser(root));
    const stale = serverOnly ? [] : stalePackages(root);
    if (stale.length > 0) await buildPart('the packages', () => buildPackages(root, stale));
  } finally {
    if (needsDatabase) await step('creating the empty database', () => created);
  }
}

/**
 * Checks that npm scripts will run on a recent Node.js. npm prefers the one in node_modules/.bin.
 */
function checkRuntime() {
  if (isInside(process.execPath) || !existsSync(pinnedNode)) {
    if (majorOf(process.version) >= NODE_MAJOR_MIN) return;
  }
  if (existsSync(pinnedNode)) {
    if (majorOf(versionOf(pinnedNode)) >= NODE_MAJOR_MIN) return;
    // The pinned Node.js doesn't run on this machine, but hides one that might.
    if (!isWritable(dirname(pinnedNode))) {
      throw new Error(`${pinnedNode} does not run on this machine: remove it.`);
    }
    rmSync(pinnedNode, { force: true });
    if (majorOf(process.version) >= NODE_MAJOR_MIN) return;
  }
  throw new Error(
    `Keyrail needs Node.js ${NODE_MAJOR_MIN} or later, but this is ${process.version}. ` +
      `Node.js could not be installed for ${process.platform}-${process.arch}: ` +
      `install Node.js ${NODE_MAJOR_MIN} yourself (nodejs.org), then try again.`,
  );
}

const versionOf = (node) =>
  spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 20_000 }).stdout ?? '';

setUp({ serverOnly: process.argv.includes('--server') }).catch((error) => {
  console.error(`keyrail: ${error.message}`);
  process.exitCode = 1;
});
