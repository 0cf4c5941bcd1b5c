// The directory lock's socket file. It locks out processes in other containers, mounts and network
// namespaces that share the directory. Node.js has no file locks, but a Unix socket accepts
// connections while its process is running and refuses them afterwards, even if the process
// crashed.
//
// Every process has its own socket with a unique name. So a dead socket can be removed without a
// race, because no new process can use its name. A process creates its own socket before it looks
// at the others, so if two processes start at the same time, at least one sees the other.
import { constants } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { systemRandomBytes } from '../../base/random.ts';

const PREFIX = 'lock-';
/**
 * A socket that isn't listening yet looks dead, so it gets its final name only once it is
 * listening.
 */
const UNNAMED_PREFIX = 'unnamed-lock-';
const NAME_BYTES = 16;
/**
 * A process that takes longer than this to report its state is assumed to be using the directory.
 */
const ANSWER_MS_MAX = 1000;
/** If several processes start together, how long to wait until the others give up the lock. */
const OTHERS_MS_MAX = 5000;
const LOOK_AGAIN_MS = 20;

type State = 'starting' | 'held';

type HeldSocket = { release(): Promise<void> };

/** Takes the lock on a directory. Returns null if another process is using the directory. */
export async function holdSocketIn(directory: string): Promise<HeldSocket | null> {
  // The socket's path goes through /proc/self/fd, because a socket's path is limited to about 100
  // characters.
  const opened = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  const place = `/proc/self/fd/${opened.fd}`;
  const suffix = Buffer.from(systemRandomBytes(NAME_BYTES)).toString('hex');
  const name = PREFIX + suffix;
  let state: State = 'starting';
  const server = createServer((socket) => socket.on('error', () => {}).end(state));
  const release = async (): Promise<void> => {
    await rm(`${place}/${name}`, { force: true });
    await new Promise((resolve) => server.close(resolve));
    await opened.close();
  };
  try {
    await listen(server, `${place}/${UNNAMED_PREFIX}${suffix}`);
    server.unref();
    const isNamed = await named(place, suffix);
    if (isNamed && (await isAlone(place, name))) {
      state = 'held';
      await clearUnnamed(place);
      return { release };
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return null;
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, resolve);
  });

/**
 * Gives the socket its final name. False if another process has taken the lock in the meantime and
 * removed this socket.
 */
const named = (place: string, suffix: string): Promise<boolean> =>
  rename(`${place}/${UNNAMED_PREFIX}${suffix}`, `${place}/${PREFIX}${suffix}`).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

/**
 * If several processes start at the same time, the one whose socket name sorts first gets the lock,
 * and waits for the others to give up.
 */
async function isAlone(place: string, name: string): Promise<boolean> {
  const until = monotonicMs() + OTHERS_MS_MAX;
  do {
    let waits = false;
    for (const other of await readdir(place)) {
      if (!other.startsWith(PREFIX) || other === name) continue;
      const said = await ask(`${place}/${other}`);
      if (said === 'held' || (said === 'starting' && other < name)) return false;
      if (said === 'dead') await rm(`${place}/${other}`, { force: true });
      else waits = true;
    }
    if (!waits) return true;
    await sleep(LOOK_AGAIN_MS);
  } while (monotonicMs() < until);
  return false;
}

/** Asks the process behind a socket for its state. An unclear response counts as `held`. */
const ask = (path: string): Promise<State | 'dead'> =>
  new Promise((resolve) => {
    let said = '';
    const socket = connect({ path });
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy());
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? 'dead' : 'held'),
    );
    socket.on('close', () => resolve(said === 'starting' ? 'starting' : 'held'));
  });

/**
 * Removes sockets left behind by processes killed during startup. A process that is still starting
 * notices if its own socket was removed.
 */
async function clearUnnamed(place: string): Promise<void> {
  for (const other of await readdir(place)) {
    if (other.startsWith(UNNAMED_PREFIX)) await rm(`${place}/${other}`, { force: true });
  }
}
