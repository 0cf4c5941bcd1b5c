// Locks a directory and holds it until it is killed: what a server does first, without the rest.
import { lockDirectory } from '../../packages/server/src/db/directory-lock.ts';

lockDirectory(process.argv[2] ?? '').then(
  () => {
    console.log('held');
    setInterval(() => {}, 60_000);
  },
  (error: unknown) => {
    console.log(String(error));
  },
);
