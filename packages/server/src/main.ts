#!/usr/bin/env node
import { type Config, readConfig } from './config.ts';
import { migrateCommand } from './migrate-command.ts';
import { settings } from './settings.ts';
import { signingKeysCommand } from './signing-keys-command.ts';
// keyrail-server: the one program, by its parts. The only reader of process.env.
import { apiCommand, startCommand, workerCommand } from './start.ts';

type Command = { does: string; run(config: Config, words: readonly string[]): Promise<void> };

const commands: Record<string, Command> = {
  start: { does: 'migrate, then run API and worker in one process', run: startCommand },
  api: { does: 'run the API alone', run: apiCommand },
  worker: { does: 'run the worker alone', run: workerCommand },
  migrate: { does: 'bring the database to this version and exit', run: migrateCommand },
  'signing-keys': { does: 'list | rotate [--now]: keys of embed tokens', run: signingKeysCommand },
};

async function main(): Promise<void> {
  const [name = 'help', ...words] = process.argv.slice(2);
  const command = commands[name];
  if (!command) {
    const asked = ['help', '--help', '-h'].includes(name);
    (asked ? process.stdout : process.stderr).write(
      `${asked ? '' : `keyrail-server: no command "${name}"\n\n`}${usage()}`,
    );
    process.exitCode = asked ? 0 : 2;
    return;
  }
  const read = readConfig(process.env);
  if ('faults' in read) {
    const list = read.faults.map((fault) => `  - ${fault}\n`).join('');
    process.stderr.write(`keyrail-server: the settings are not right:\n${list}`);
    process.exitCode = 1;
    return;
  }
  await command.run(read.config, words);
}

function usage(): string {
  const list = Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(14)}${does}`);
  const manual = settings.map(({ name, meaning, fallback }) => {
    const shown = fallback === null ? '' : ` (${fallback})`;
    return `  ${name.padEnd(30)}${meaning}${shown}`;
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
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`keyrail-server: ${reason}\n`);
  // What was opened on the way would keep alive a process that serves nobody.
  process.exit(1);
});
