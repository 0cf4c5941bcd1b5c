// Runs the worker's retention for some tables only, because tests share their database.
import { purge, retention } from '@keyrail/server/retention.ts';
import type { TestApp } from './test-app.ts';

export const purgeTables = (
  { app: { worker } }: Pick<TestApp, 'app'>,
  ...tables: readonly string[]
): Promise<void> =>
  purge(
    worker.work,
    retention(worker).filter(({ table }) => tables.includes(table)),
  );
