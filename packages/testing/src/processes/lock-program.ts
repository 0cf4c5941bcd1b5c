// Locks a data directory, as a server does at startup, and keeps it locked until the program is
// killed.
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
