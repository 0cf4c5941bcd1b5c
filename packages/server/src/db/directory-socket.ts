// The part of the lock that lies in the directory itself, and so holds for all who see that
// directory: in other containers, through other mounts, in other network namespaces. Node has no
// file locks. A unix socket does as well: while its process lives it can be connected to, and
// after its death, however it died, it refuses.
//
// Every process has a socket of its own, under a name that is never used again. So a dead one can
// be removed without a race: no process can have come to life under its name meanwhile. A process
// makes its own first and looks at the others then; of two that start at once, at least one sees
// the other.
import { constants } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { systemRandomBytes } from '../base/random.ts';

const PREFIX = 'lock-';
/** Until a socket listens it would be taken for a dead one: it gets its name afterwards. */
const UNNAMED_PREFIX = 'unnamed-lock-';
const NAME_BYTES = 16;
/** A process that takes longer to say what it does is taken to use the directory. */
const ANSWER_MS_MAX = 1000;
/** How long one waits for others that start at the same moment to give way. */
const OTHERS_MS_MAX = 5000;
const LOOK_AGAIN_MS = 20;

type State = 'starting' | 'held';

export type HeldSocket = { release(): Promise<void> };

/** Null when another process uses the directory. */
export async function holdSocketIn(directory: string): Promise<HeldSocket | null> {
  // By way of the descriptor: the path of a socket has room for about a hundred characters.
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

/** False when whoever got the directory meanwhile has cleared this socket away. */
const named = (place: string, suffix: string): Promise<boolean> =>
  rename(`${place}/${UNNAMED_PREFIX}${suffix}`, `${place}/${PREFIX}${suffix}`).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );

/** Of those that start at once the one whose name comes first stays; it waits for the others. */
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

/** What the process behind a socket does. Whatever is unclear counts as using the directory. */
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

/** Remains of starts that were killed; one that is just beginning sees that it comes too late. */
async function clearUnnamed(place: string): Promise<void> {
  for (const other of await readdir(place)) {
    if (other.startsWith(UNNAMED_PREFIX)) await rm(`${place}/${other}`, { force: true });
  }
}
