// Locks a directory until it is killed, which is also the first thing a server does.
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
