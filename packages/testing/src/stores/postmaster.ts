// A PostgreSQL that another program has started, found through the pid file in its data directory.
// It is not our child, so a guard stops it if we are killed.
import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { signalEach, stopTree } from '../processes/process-tree.ts';
import { until } from '../until.ts';

type Postmaster = { kill(): Promise<void>; freeze(): void; thaw(): void };

export function openPostmaster(directory: string): Postmaster {
  let frozen: number[] = [];
  const freeze = () => {
    const pid = pidIn(directory);
    frozen = pid === null ? [] : stopTree(pid);
  };
  return {
    freeze,
    thaw: () => signalEach(frozen.splice(0), 'SIGCONT'),
    kill: async () => {
      freeze(); // no process may write after another one has been killed
      signalEach(frozen.splice(0), 'SIGKILL');
      await until(() => pidIn(directory) === null);
    },
  };
}

/**
 * The server's pid; null if it isn't running. After a kill, the pid in the file may belong to
 * another program, but that one runs in another directory.
 */
function pidIn(directory: string): number | null {
  try {
    const pid = Number(readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return readlinkSync(`/proc/${pid}/cwd`) === directory ? pid : null;
  } catch {
    return null;
  }
}

const ENDING = `cat >/dev/null
scratch=$1; shift
for directory; do
  pid=$(head -n 1 "$directory/postmaster.pid" 2>/dev/null) || continue
  [ "$(readlink "/proc/$pid/cwd")" = "$directory" ] || continue
  kill -QUIT "$pid"
  kill -CONT "$pid"
done
for try in 1 2 3 4 5; do rm -rf "$scratch" 2>/dev/null && exit; sleep 1; done`;

/**
 * Starts a shell script that waits until its input is closed, which also happens if this process is
 * killed. Then the script stops the servers in these directories and removes `scratch`.
 */
export function guardPostmasters(
  scratch: string,
  directories: readonly string[],
): { endNow(): void } {
  const guard = spawn('sh', ['-c', ENDING, 'guard', scratch, ...directories], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.unref();
  return { endNow: () => void guard.stdin.destroy() };
}
