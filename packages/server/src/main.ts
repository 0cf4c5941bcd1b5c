#!/usr/bin/env node
// keyrail-server: the server's command line. Only this file reads process.env.

// Commands are imported when they run, so that an invalid setting is reported without loading the
// server.
import { reasonOf } from './base/errors.ts';
import { cacheCompiledCode } from './commands/compiled-code.ts';
import { type Config, type ConfigResult, readConfig, settings } from './config.ts';

type Run = (config: Config, words: readonly string[]) => Promise<void>;

/** A command that runs even if settings are invalid, and reports the invalid ones. */
type Diagnosis = (read: ConfigResult, words: readonly string[]) => Promise<void>;

type Command = { does: string; takesWords?: true } & (
  | { load(): Promise<Run> }
  | { loadDiagnosis(): Promise<Diagnosis> }
);

const commands: Record<string, Command> = {
  start: {
    does: 'migrate the database, then run the API and worker in one process',
    load: async () => (await import('./commands/start.ts')).startCommand,
  },
  api: {
    does: 'run only the API',
    load: async () => (await import('./commands/start.ts')).apiCommand,
  },
  worker: {
    does: 'run only the worker',
    load: async () => (await import('./commands/start.ts')).workerCommand,
  },
  migrate: {
    does: 'migrate the database to this version, then exit',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  backup: {
    does: '[--new-key]: back up the database to KEYRAIL_BACKUP_DIR; works while the server is running',
    takesWords: true,
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  restore: {
    does: '[<backup>] [--new-master-key] [--ahead-of V]: restore a backup into an empty database',
    takesWords: true,
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
  'restore-test': {
    does: 'restore the newest backup into a scratch database and check it',
    load: async () => (await import('./commands/backup.ts')).restoreTestCommand,
  },
  doctor: {
    does: '[--json]: check everything this deployment depends on and suggest fixes',
    takesWords: true,
    loadDiagnosis: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  'signing-keys': {
    does: 'list | rotate [--now] [--purpose P]: manage the keys that sign tokens and anchors',
    takesWords: true,
    load: async () => (await import('./commands/signing-keys.ts')).signingKeysCommand,
  },
  audit: {
    does: 'verify [--workspace ID] [--anchors FILE] [--json]: check every audit chain',
    takesWords: true,
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
};

const HELP_WORDS = ['help', '--help', '-h'];

async function main(): Promise<void> {
  const [name = 'help', ...words] = process.argv.slice(2);
  const command = commands[name];
  if ([name, ...words].some((word) => HELP_WORDS.includes(word))) {
    process.stdout.write(usage());
    return;
  }
  if (!command) return misused(`unknown command "${name}"`);
  // Unexpected arguments are rejected instead of being ignored.
  if (words.length > 0 && !command.takesWords) {
    return misused(`${name} takes no arguments, but got "${words[0]}"`);
  }
  const read = readConfig(process.env);
  if ('loadDiagnosis' in command) {
    const diagnosis = await command.loadDiagnosis();
    return diagnosis(read, words);
  }
  for (const warning of read.warnings) process.stderr.write(`keyrail-server: ${warning}\n`);
  if ('faults' in read) {
    const list = read.faults.map((fault) => `  - ${fault}\n`).join('');
    process.stderr.write(`keyrail-server: invalid settings:\n${list}`);
    process.exitCode = 1;
    return;
  }
  cacheCompiledCode(read.config.store.dataDir, import.meta.dirname);
  const run = await command.load();
  await run(read.config, words);
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
