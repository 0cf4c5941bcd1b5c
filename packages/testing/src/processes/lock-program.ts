// Locks a directory and holds the lock until it is killed: the first step of a server.
import { lockDirectory } from '@keyrail/server/db/embedded/directory-lock.ts';

lockDirectory(process.argv[2] ?? '').then(
  () => {
    console.log('held');
    setInterval(() => {}, 60_000);
  },
  (error: unknown) => {
    console.log(String(error));
  },
);
