import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { backupPlaceOf } from './backups.ts';

const onPostgres = {
  DATABASE_URL: 'postgres://keyrail@localhost/keyrail',
  KEYRAIL_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
};

const everyMs = (env: Record<string, string>): number | null | string[] => {
  const read = readConfig(env);
  return 'faults' in read ? read.faults : read.config.backups.everyMs;
};

test('backups are scheduled by default on the embedded store, but on PostgreSQL only if configured', () => {
  equal(everyMs({}), 24 * 3_600_000);
  equal(everyMs({ KEYRAIL_BACKUP_EVERY: 'off' }), null);
  equal(everyMs({ KEYRAIL_BACKUP_EVERY: '6h' }), 6 * 3_600_000);
  equal(everyMs(onPostgres), null);
  equal(everyMs({ ...onPostgres, KEYRAIL_BACKUP_EVERY: '1m' }), 60_000);
  match(String(everyMs({ KEYRAIL_BACKUP_EVERY: '5s' })), /^KEYRAIL_BACKUP_EVERY/);
});

test('a directory inside the data directory is recognised, no matter how its path is written', () => {
  const placeOf = (dataDir: string, dir: string) => backupPlaceOf(dataDir, { dir });
  const read = readConfig({});
  const place = 'config' in read && backupPlaceOf(read.config.store.dataDir, read.config.backups);
  equal(place, 'inside');
  for (const inside of ['/data/backups', '/data', '/data/../data/x', '/data/..x']) {
    equal(placeOf('/data', inside), 'inside', inside);
  }
  for (const outside of ['/', '/backups', '/data/../x', '/data-2/backups']) {
    equal(placeOf('/data/', outside), 'outside', outside);
  }
  equal(placeOf('.keyrail', './.keyrail/backups'), 'inside');
});

test('an invalid backup key or email address is rejected without being printed', () => {
  const wrong = { KEYRAIL_BACKUP_KEY: 'a-secret-of-somebody', KEYRAIL_OPERATOR_EMAIL: 'A <a@b.c>' };
  const read = readConfig(wrong);
  const faults = 'faults' in read ? read.faults : [];
  deepEqual(
    faults.map((fault) => fault.split(' ')[0]),
    ['KEYRAIL_BACKUP_KEY', 'KEYRAIL_OPERATOR_EMAIL'],
  );
  equal(faults.join().includes('a-secret-of-somebody'), false);
});
