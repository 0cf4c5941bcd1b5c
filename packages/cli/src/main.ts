#!/usr/bin/env node
// keyrail: the control plane from a terminal. The only reader of the environment.
import { homedir } from 'node:os';
import { run } from './run.ts';

// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  home: homedir(),
  now: () => new Date(performance.timeOrigin + performance.now()),
});
