/**
 * Scratch directories for servers that tests start. Paths are short, because a unix socket's path
 * must stay under 107 bytes. Other users can traverse them, because a database server refuses to
 * run as root.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PARENT = '/tmp';

/** The unprivileged account for servers while the tests run as root. */
export type Account = { uid: number; gid: number };

/**
 * Creates a directory with this process's pid in its name, so that a later run can tell that this
 * process has exited.
 */
export function makeScratch(kind: string, account: Account | null): string {
  sweep(kind);
  const directory = mkdtempSync(join(PARENT, `kr-${kind}-${process.pid}-`));
  if (account) chownSync(directory, account.uid, account.gid);
  return directory;
}

export function removeScratch(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** If the tests run as root, the first of these accounts that exists; otherwise null. */
export function unprivilegedAccount(names: string[]): Account | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of names) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== null && gid !== null) return { uid, gid };
  }
  const missing = names.join(', ');
  throw new Error(`The tests are running as root, and no account exists to switch to: ${missing}.`);
}

/** The command line that runs a program under an account, and stops it when its parent dies. */
export function commandUnder(account: Account | null, program: string[]): [string, string[]] {
  const drop = account
    ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
    : [];
  const options = [...drop, ...(knowsParentDeath() ? ['--pdeathsig=QUIT'] : [])];
  const [command, ...args] = options.length > 0 ? ['setpriv', ...options, ...program] : program;
  if (command === undefined) throw new Error('No program was given.');
  return [command, args];
}

/** Removes directories left behind by killed runs. */
function sweep(kind: string): void {
  for (const name of readdirSync(PARENT)) {
    const pid = name.match(new RegExp(`^kr-${kind}-(\\d+)-`))?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeQuietly(join(PARENT, name));
  }
}

function removeQuietly(directory: string): void {
  try {
    removeScratch(directory);
  } catch {
    // The directory belongs to another user, so skip it.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function idOf(flag: string, name: string): number | null {
  const run = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return run.status === 0 ? Number(run.stdout) : null;
}

let parentDeath: boolean | undefined;
function knowsParentDeath(): boolean {
  parentDeath ??=
    spawnSync('setpriv', ['--pdeathsig=QUIT', 'true'], { stdio: 'ignore' }).status === 0;
  return parentDeath;
}
