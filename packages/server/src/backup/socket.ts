// Lets a command ask the running server for a backup, because only one process can use the embedded
// store. The socket is in the data directory, which only its owner can access. A command sends a
// task's name and a line feed; the server sends back progress reports, one JSON object per line.
import { once } from 'node:events';
import { constants } from 'node:fs';
import { chmod, open, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { reasonOf } from '../base/errors.ts';
import type { TakenBackup, TaskProgress, TestedBackup } from '../features/backups/backup-tasks.ts';
import type { Report } from './run-task.ts';

const NAME = 'backup-socket';
const ASK_MS_MAX = 5000;
const CONNECTIONS_MAX = 4;

type Result = TakenBackup | TestedBackup;

/** The tasks, keyed by the name that a command sends. */
export type AskedTasks = Record<
  'backup' | 'restore-test',
  (report: (progress: TaskProgress) => void) => Promise<Result>
>;

/** Call only while this process holds the directory's lock, because it removes an old socket. */
export async function openBackupSocket(
  dataDir: string,
  tasks: AskedTasks,
): Promise<{ close(): Promise<void> }> {
  const { opened, path } = await placeIn(dataDir);
  await rm(path, { force: true });
  const server = createServer((socket) => void answer(socket, tasks));
  server.maxConnections = CONNECTIONS_MAX;
  server.listen({ path });
  await once(server, 'listening');
  await chmod(path, 0o600);
  server.unref();
  return {
    async close() {
      await rm(path, { force: true });
      server.close();
      await opened.close();
    },
  };
}

async function answer(socket: Socket, tasks: AskedTasks): Promise<void> {
  socket.on('error', () => {}); // the command has exited; the task continues
  socket.setTimeout(ASK_MS_MAX, () => socket.destroy());
  const asked = String(await once(createInterface(socket), 'line').catch(() => ''));
  socket.setTimeout(0);
  const send = (report: Report) => void socket.write(`${JSON.stringify(report)}\n`);
  const task = asked === 'backup' || asked === 'restore-test' ? tasks[asked] : null;
  if (task === null) return void socket.destroy();
  try {
    const result = await task((progress) => send({ kind: 'progress', progress }));
    send({ kind: 'done', result });
  } catch (error) {
    send({ kind: 'failed', reason: reasonOf(error), isRunning: false, backupId: null });
  }
  socket.end();
}

/** Null if no server is using the directory. */
export async function askServer<T extends Result>(
  dataDir: string,
  task: keyof AskedTasks,
  report: (progress: TaskProgress) => void,
): Promise<T | null> {
  const socket = await connected(dataDir);
  if (socket === null) return null;
  socket.on('error', () => {});
  socket.write(`${task}\n`);
  try {
    for await (const line of createInterface(socket)) {
      const said: Report = JSON.parse(line);
      if (said.kind === 'progress') report(said.progress);
      else if (said.kind === 'failed') throw new Error(said.reason);
      else return said.result as T; // sent by the same version of the server
    }
  } finally {
    socket.destroy();
  }
  throw new Error('The server stopped before the task finished. See its log for the reason.');
}

async function connected(dataDir: string): Promise<Socket | null> {
  const place = await placeIn(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (place === null) return null;
  const socket = connect({ path: place.path });
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return null; // there is no socket, or its process has exited
  } finally {
    await place.opened.close();
  }
}

/** Uses the directory's descriptor, because a socket's path is limited to about 100 characters. */
async function placeIn(dataDir: string) {
  const opened = await open(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { opened, path: `/proc/self/fd/${opened.fd}/${NAME}` };
}
