#!/usr/bin/env node
// Runs the built server, or its TypeScript sources if it has not been built. Any version of Node.js
// can run this file. If that version is too old for the server, the server is started with the
// Node.js that npm installed. Plain JavaScript without dependencies, so that this file runs even if
// nothing is installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mainIn } from './program.mjs';

const NODE_MAJOR_MIN = 24;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

const self = fileURLToPath(import.meta.url);
const root = join(dirname(self), '../../..');
const pinnedNode = join(root, 'node_modules/.bin/node');

const isInstalled = existsSync(join(root, 'node_modules/@keyrail/server'));
const isNewEnough = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN;

if (!isInstalled) {
  fail(`its dependencies are not installed: run "npm ci --omit=dev" in ${root}.`);
} else if (isNewEnough) {
  await import(pathToFileURL(mainIn(root)).href);
} else if (existsSync(pinnedNode)) {
  runPinned();
} else {
  fail(
    `it needs Node.js ${NODE_MAJOR_MIN} or later, but this is ${process.version}: ` +
      `run "npm ci --omit=dev" in ${root}, or install Node.js ${NODE_MAJOR_MIN} yourself.`,
  );
}

/**
 * Stays alive as the parent process: forwards signals to the child, and exits the way the child
 * did.
 */
function runPinned() {
  const child = spawn(pinnedNode, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', ({ message }) => fail(`cannot run ${pinnedNode}: ${message}.`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(reason) {
  console.error(`keyrail-server: ${reason}`);
  process.exitCode = 1;
}
