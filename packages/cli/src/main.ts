#!/usr/bin/env node
// The entry point of `keyrail`. Only this file reads the process environment.
import { homedir } from 'node:os';
import { run } from './run.ts';

// A reader may close the pipe early, as `head` does. That is not a failure.
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
