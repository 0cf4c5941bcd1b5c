#!/usr/bin/env node
// The entry point of the `keyrail` command, and the only file that reads the environment.
import { homedir } from 'node:os';
import { run } from './run.ts';

// A reader such as `head` may close the pipe early. That is not an error.
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
