#!/usr/bin/env node
// keyrail-server: the command line of the server. Only this file reads process.env.

import { systemClock } from './base/clock.ts';
import { reasonOf } from './base/errors.ts';
import { openLog } from './base/log.ts';
import { type Config, readConfig } from './config.ts';
import { settings } from './settings.ts';
import { signingKeysCommand } from './signing-keys-command.ts';
import { apiCommand, startCommand, workerCommand } from './start.ts';
import { openStore } from './stores.ts';

type Command = {
  does: string;
  takesWords?: true;
  run(config: Config, words: readonly string[]): Promise<void>;
};

const commands: Record<string, Command> = {
  start: { does: 'migrate, then run API and worker in one process', run: startCommand },
  api: { does: 'run the API alone', run: apiCommand },
  worker: { does: 'run the worker alone', run: workerCommand },
  migrate: { does: 'bring the database to this version and exit', run: migrateCommand },
  'signing-keys': {
    does: 'list | rotate [--now]: the keys that sign embed tokens',
    takesWords: true,
    run: signingKeysCommand,
  },
};

/** For deployments that migrate before a rollout. */
async function migrateCommand(config: Config): Promise<void> {
  const log = openLog(config.logLevel, process.stdout);
  const store = await openStore(config, systemClock, log);
  await store.close();
  log.info('the database is up to date');
}

const HELP_WORDS = ['help', '--help', '-h'];

async function main(): Promise<void> {
  const [name = 'help', ...words] = process.argv.slice(2);
  const command = commands[name];
  if ([name, ...words].some((word) => HELP_WORDS.includes(word))) {
    process.stdout.write(usage());
    return;
  }
  if (!command) return misused(`unknown command "${name}"`);
  // Reject unexpected arguments instead of ignoring them.
  if (words.length > 0 && !command.takesWords) {
    return misused(`${name} takes no arguments, but got "${words[0]}"`);
  }
  const read = readConfig(process.env);
  if ('faults' in read) {
    const list = read.faults.map((fault) => `  - ${fault}\n`).join('');
    process.stderr.write(`keyrail-server: invalid settings:\n${list}`);
    process.exitCode = 1;
    return;
  }
  await command.run(read.config, words);
}

function misused(problem: string): void {
  process.stderr.write(`keyrail-server: ${problem}\n\n${usage()}`);
  process.exitCode = 2;
}

function usage(): string {
  const list = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(14)}${does}`);
  const width = Math.max(...settings.map(({ name }) => name.length)) + 2;
  const manual = settings.map(({ name, meaning, fallback }) => {
    const shown = fallback === null ? '' : ` (${fallback})`;
    return `  ${name.padEnd(width)}${meaning}${shown}`;
  });
  return [
    'Usage: keyrail-server <command>\n',
    ...list,
    '\nSettings, from the environment:\n',
    ...manual,
    '',
  ].join('\n');
}

main().catch((error: unknown) => {
  process.stderr.write(`keyrail-server: ${reasonOf(error)}\n`);
  // Connections opened before the failure would keep the process alive.
  process.exit(1);
});
