// The baseline for `start`: Node.js, the embedded database and one query. No program that opens the
// same directory could start faster.
import { PGlite } from '@electric-sql/pglite';

const directory = process.env.BENCH_DIRECTORY;
if (directory === undefined) throw new Error('BENCH_DIRECTORY is not set');
const store = await PGlite.create({ dataDir: directory });
await store.query('select 1');
process.send?.({ ready: true });
const end = async (): Promise<void> => {
  await store.close();
  process.exit(0);
};
process.once('SIGTERM', end);
process.once('disconnect', end);
