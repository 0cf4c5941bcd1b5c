/**
 * The first step of every npm script: installs what is missing, makes sure that the script will
 * run on a Node that executes TypeScript, and builds the server's program, the dashboard, the
 * published packages and the empty embedded database. With `--server`, what the server needs is
 * enough: if the dependencies of the server are there, none is installed. Plain JavaScript without
 * dependencies, because it must run on an old Node with nothing installed. Silent when there is
 * nothing to do.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildProgram, isProgramMissing } from '../packages/server/bin/program.mjs';
import { buildBrowser, isBrowserStale } from './build-browser.mjs';
import { buildDatabase, isDatabaseMissing } from './build-database.mjs';
import { buildPackages, stalePackages } from './build-packages.mjs';
import { withLock } from './setup-lock.mjs';

const root = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '..'));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.keyrail-setup');
const pinnedNode = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

const NODE_MAJOR_MIN = 24;
const INSTALL_MS_MAX = 600_000;
/** Measured with du, in megabytes. */
const INSTALLED_MB = 500;
const INSTALLED_MB_WITHOUT_DEV = 325;

async function setUp({ serverOnly }) {
  const stamp = wantedStamp();
  const isReady = () => isInstalled(stamp) || (serverOnly && installedByHand({ dev: false }));
  if (!isReady()) {
    refuseUnwritable();
    await withLock(root, async () => {
      // The previous holder of the lock may have installed them.
      if (!isReady()) await install(stamp, { dev: !(serverOnly && isWithoutDev()) });
    });
  }
  checkRuntime();
  // The server also runs from its sources, and without the dashboard.
  if (serverOnly && !isWritable(join(root, 'packages'))) return;
  const withPackages = !serverOnly || hasCompiler();
  const isBuilt = () =>
    !isProgramMissing(root) &&
    !isBrowserStale(root) &&
    !isDatabaseMissing(root) &&
    (!withPackages || stalePackages(root).length === 0);
  if (isBuilt()) return;
  await withLock(root, () => build({ serverOnly, withPackages }));
}

/** What another process has built while this one waited for the lock is not built again. */
async function build({ serverOnly, withPackages }) {
  // The database is created by a process of its own, beside the other builds.
  const database = isDatabaseMissing(root) ? buildDatabase(root) : null;
  const created = database?.catch((error) => console.error(`keyrail: ${error.message}`));
  try {
    const orContinue = (what) => (error) => {
      if (!serverOnly) throw error;
      console.error(`keyrail: ${what} was not built: ${error.message}`);
    };
    if (isProgramMissing(root)) await buildProgram(root).catch(orContinue("the server's program"));
    if (isBrowserStale(root)) await buildBrowser(root).catch(orContinue('the dashboard'));
    if (withPackages) {
      const stale = stalePackages(root);
      if (stale.length > 0) await buildPackages(root, stale);
    }
  } finally {
    await created;
  }
}

/** The stamp that node_modules must have: this lock file on this platform. */
function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const sum = createHash('sha256').update(lock).digest('hex');
  return `${sum} ${process.platform}-${process.arch}\n`;
}

function isInstalled(stamp) {
  if (readText(stampFile) === stamp) return true;
  // The user ran npm: that counts if the result matches the lock file.
  if (!installedByHand({ dev: true })) return false;
  if (isWritable(modules)) writeFileSync(stampFile, stamp);
  return true;
}

/** Whether npm installed what the lock file names, with or without its development dependencies. */
function installedByHand({ dev }) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  const present = presentPackages();
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, { version, integrity, link, ...flags }]) => {
    if (!path.includes('node_modules/') || (flags.dev && !dev)) return true;
    if (!existsSync(join(root, path))) return flags.optional === true && !suits(flags);
    return link || (present[path]?.version === version && present[path]?.integrity === integrity);
  });
}

const presentPackages = () => readJson(join(modules, '.package-lock.json'))?.packages;

/** Whether the user installed with --omit=dev: an upgrade then does the same. */
const isWithoutDev = () => {
  const present = Object.values(presentPackages() ?? {});
  return present.length > 0 && !present.some(({ dev }) => dev);
};

/** Published packages need declarations; an installation without development tools has none. */
const hasCompiler = () => existsSync(join(modules, 'typescript'));

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function refuseUnwritable() {
  const folder = existsSync(modules) ? modules : root;
  if (isWritable(folder)) return;
  fail(
    `dependencies are missing or outdated, and this user may not write to ${folder}: ` +
      `run "npm ci --omit=dev" in ${root} as its owner, then try again.`,
  );
}

/** Whether an optional package is made for this machine; npm leaves the others out. */
function suits({ os, cpu, libc }) {
  if (libc) return false;
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
}

async function install(stamp, { dev }) {
  rmSync(stampFile, { force: true });
  const size = dev ? INSTALLED_MB : INSTALLED_MB_WITHOUT_DEV;
  console.error(`keyrail: installing dependencies, about ${size} MB, about a minute (only once)`);
  const { command, args, env } = npm();
  // Install scripts of packages do not run: see docs/dependencies.md.
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  flags.push(dev ? '--include=dev' : '--omit=dev', '--include=optional');
  const { status, output } = await run(command, [...args, ...flags, '--loglevel=error'], env);
  if (status !== 0) {
    console.error(output.trim());
    fail('npm ci failed (see above). Fix the cause, or run "npm ci" yourself, then try again.');
  }
  // The stamp stands for a complete installation.
  if (dev) writeFileSync(stampFile, stamp);
}

/**
 * The npm that runs this script, on its own Node. Not the Node inside node_modules, which npm ci
 * removes while it works.
 */
function npm() {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !isInside(part));
  const env = { ...process.env, PATH: path.join(delimiter), npm_config_engine_strict: 'false' };
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const ours = cli && node && /npm-cli\.c?js$/.test(cli) && existsSync(cli) && !isInside(node);
  if (ours) return { command: node, args: [cli], env };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [], env };
}

const isInside = (path) => path === modules || path.startsWith(modules + sep);

function run(command, args, env) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: root, env, timeout: INSTALL_MS_MAX });
    process.once('exit', () => child.kill());
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ status: 1, output: String(error.message) }));
    child.on('close', (status) => resolve({ status, output }));
  });
}

/** Whether the `node` of an npm script, which looks in node_modules/.bin first, is new enough. */
function checkRuntime() {
  if (isInside(process.execPath) || !existsSync(pinnedNode)) {
    if (majorOf(process.version) >= NODE_MAJOR_MIN) return;
  }
  if (existsSync(pinnedNode)) {
    if (majorOf(versionOf(pinnedNode)) >= NODE_MAJOR_MIN) return;
    // It does not run on this machine and would hide a Node that does.
    if (!isWritable(dirname(pinnedNode))) fail(`${pinnedNode} does not run here: remove it.`);
    rmSync(pinnedNode, { force: true });
    if (majorOf(process.version) >= NODE_MAJOR_MIN) return;
  }
  fail(
    `Keyrail runs on Node ${NODE_MAJOR_MIN} or later, and this is ${process.version}. ` +
      `No Node could be installed for ${process.platform}-${process.arch}: ` +
      `install Node ${NODE_MAJOR_MIN} yourself (nodejs.org), then try again.`,
  );
}

const versionOf = (node) =>
  spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 20_000 }).stdout ?? '';

const majorOf = (version) => Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readText(path) ?? 'null');
  } catch {
    return null;
  }
}

function fail(message) {
  throw new Error(message);
}

setUp({ serverOnly: process.argv.includes('--server') }).catch((error) => {
  console.error(`keyrail: ${error.message}`);
  process.exitCode = 1;
});
