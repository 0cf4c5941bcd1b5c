/**
 * Checks whether node_modules has what a script needs, and installs what is missing. Plain
 * JavaScript without dependencies, because setup.mjs needs it.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup-lock.mjs';
import { step } from './setup-progress.mjs';

export const root = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '..'));
export const modules = join(root, 'node_modules');
const stampFile = join(modules, '.keyrail-setup');

export const NODE_MAJOR_MIN = 24;
const INSTALL_MS_MAX = 600_000;
/** The size of an installation in megabytes, as measured by du. */
const INSTALLED_MB = { all: 560, server: 325, serverWithoutNode: 135 };
/** The package that provides the pinned Node.js. */
const RUNTIME = 'runtime';
const PINNED_NODE = new RegExp(`node_modules/(@keyrail/${RUNTIME}|node-[a-z]+-[a-z0-9]+)$`);

/** Installs what is missing: everything, or only what a server needs to start. */
export async function installMissing({ serverOnly }) {
  const stamp = wantedStamp();
  const isReady = () =>
    isInstalled(stamp) || (serverOnly && installedByHand({ dev: false, node: !hasOwnNode() }));
  if (isReady()) return;
  refuseUnwritable();
  await withLock(root, async () => {
    // The process that previously held the lock may have installed everything.
    if (!isReady()) await install(stamp, { dev: !(serverOnly && isWithoutDev()) });
  });
}

/** The stamp of an up-to-date node_modules. It identifies the lock file and the platform. */
function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const sum = createHash('sha256').update(lock).digest('hex');
  return `${sum} ${process.platform}-${process.arch}\n`;
}

function isInstalled(stamp) {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  // The user may have run npm directly. That is enough if the result matches the lock file.
  if (!installedByHand({ dev: true, node: true })) return false;
  if (isWritable(modules)) writeFileSync(stampFile, stamp);
  return true;
}

/** Whether npm has installed the wanted packages at the versions in the lock file. */
function installedByHand(wanted) {
  const present = presentPackages();
  return lockedPackages(wanted).every(([path, { version, integrity, link, ...flags }]) => {
    if (!existsSync(join(root, path))) return flags.optional === true && !suits(flags);
    return link || (present[path]?.version === version && present[path]?.integrity === integrity);
  });
}

/**
 * The packages in the lock file, with or without development dependencies and the pinned Node.js.
 */
const lockedPackages = ({ dev, node }) =>
  packagesIn(join(root, 'package-lock.json')).filter(
    ([path, locked]) =>
      path.includes('node_modules/') && (dev || !locked.dev) && (node || !PINNED_NODE.test(path)),
  );

const packagesIn = (file) => Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages);

/** Returns what npm has recorded as installed; nothing if the installation didn't finish. */
function presentPackages() {
  try {
    return Object.fromEntries(packagesIn(join(modules, '.package-lock.json')));
  } catch {
    return {};
  }
}

/** Whether no development dependencies are installed. If so, an upgrade doesn't install any. */
const isWithoutDev = () => !Object.values(presentPackages()).some(({ dev }) => dev);

/**
 * Whether this Node.js is installed on the machine, not in node_modules, and can run the server. If
 * so, no other one is needed.
 */
const hasOwnNode = () => !isInside(process.execPath) && majorOf(process.version) >= NODE_MAJOR_MIN;

export const majorOf = (version) => Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);

export const isInside = (path) => path === modules || path.startsWith(modules + sep);

export function isWritable(path) {
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
  throw new Error(
    `dependencies are missing or outdated, and this user may not write to ${folder}: ` +
      `run "npm ci --omit=dev" in ${root} as its owner, then try again.`,
  );
}

/** Whether an optional package is meant for this machine; npm leaves out the others. */
function suits({ os, cpu, libc }) {
  if (libc) return false;
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch));
}

async function install(stamp, { dev }) {
  rmSync(stampFile, { force: true });
  const node = dev || !hasOwnNode();
  const size = INSTALLED_MB[dev ? 'all' : node ? 'server' : 'serverWithoutNode'];
  const { command, args, env } = npm();
  // Packages' install scripts don't run (see docs/dependencies.md).
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  flags.push(dev ? '--include=dev' : '--omit=dev', '--include=optional');
  if (!node) flags.push(...workspacesWithoutNode());
  const packages = lockedPackages({ dev, node }).filter(([, one]) => !one.optional || suits(one));
  const unpacked = () => packages.filter(([path]) => existsSync(join(root, path, 'package.json')));
  await step(
    `installing dependencies (about ${size} MB, only once)`,
    async () => {
      const { status, output } = await run(command, [...args, ...flags], env);
      if (status === 0) return;
      console.error(`\n${output.trim()}`);
      throw new Error(
        'npm ci failed (see above). Fix the cause, or run "npm ci" yourself, then try again.',
      );
    },
    () => `${unpacked().length} of ${packages.length} packages`,
  );
  // The stamp marks the installation as complete.
  if (dev) writeFileSync(stampFile, stamp);
}

const workspacesWithoutNode = () => [
  '--include-workspace-root',
  ...readdirSync(join(root, 'packages'))
    .filter((name) => name !== RUNTIME && existsSync(join(root, 'packages', name, 'package.json')))
    .map((name) => `--workspace=packages/${name}`),
];

/**
 * The npm that started this script, with the same Node.js. The Node.js inside node_modules can't be
 * used, because `npm ci` would remove it while running on it.
 */
function npm() {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !isInside(part));
  const env = { ...process.env, PATH: path.join(delimiter), npm_config_engine_strict: 'false' };
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const ours = cli && node && /npm-cli\.c?js$/.test(cli) && existsSync(cli) && !isInside(node);
  if (ours) return { command: node, args: [cli], env };
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [], env };
}

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
