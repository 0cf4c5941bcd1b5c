// A migrated database, created once and copied for each test file, because creating one takes
// seconds and copying it a fraction of that. The original's name contains a hash of the migrations.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { systemClock } from '@keyrail/server/base/clock.ts';
import { embeddedDatabase } from '@keyrail/server/db/embedded/embedded.ts';
import { migrate, readMigrations, readRoleSetup } from '@keyrail/server/db/migrate.ts';
import pg from 'pg';

const LOCK_ID = 7_265_002;

/** Returns a hash of everything a migration runs, so that any change creates a new template. */
export async function templateName(): Promise<string> {
  const hashes = (await readMigrations()).map(({ hash }) => hash);
  const texts = [...hashes, ...(await readRoleSetup())];
  return createHash('sha256').update(texts.join()).digest('hex').slice(0, 16);
}

/** Opens a migrated PGlite in memory. */
export const openEmbeddedCopy = async (): Promise<PGlite> =>
  PGlite.create({ loadDataDir: new Blob([await readFile(await embeddedTemplate())]) });

/** Unpacks a migrated PGlite into a directory that a program can start with. */
export async function unpackEmbeddedCopy(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', await embeddedTemplate(), '-C', directory]);
}

async function embeddedTemplate(): Promise<string> {
  const name = `keyrail-${userInfo().uid}-${await templateName()}.one.tar`;
  const path = join(tmpdir(), name);
  if (!existsSync(path)) await writeEmbeddedTemplate(path);
  return path;
}

/**
 * Two test files may write the template at the same time; the atomic rename leaves one complete
 * file. The template contains only the database in use, because without `template0` and
 * `template1`, opening a copy takes a third less CPU.
 */
async function writeEmbeddedTemplate(path: string): Promise<void> {
  const lite = await PGlite.create();
  await lite.exec('update pg_database set datistemplate = false');
  for (const unused of ['template0', 'template1']) await lite.exec(`drop database ${unused}`);
  await embeddedDatabase(lite, systemClock);
  const copy = await lite.dumpDataDir('none');
  const part = `${path}.${crypto.randomUUID()}`;
  await writeFile(part, Buffer.from(await copy.arrayBuffer()));
  await rename(part, path);
  await lite.close();
}

/** Creates a migrated database in the cluster, owned by the login role; returns its URL. */
export async function createPostgresCopy(superuserUrl: string): Promise<string> {
  const template = `template_${await templateName()}`;
  const name = `test_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
  await asSuperuser(superuserUrl, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [LOCK_ID]);
    const known = await admin.query('select from pg_database where datname = $1', [template]);
    if (known.rowCount === 0) await createPostgresTemplate(admin, superuserUrl, template);
    await admin.query('select pg_advisory_unlock($1)', [LOCK_ID]);
    await admin.query(`create database ${name} template ${template} owner keyrail`);
  });
  return loginUrl(superuserUrl, name);
}

/**
 * Creates a migrated database for one test and opens a superuser connection to it. After the test,
 * the connection is closed and the database is dropped.
 */
export async function postgresCopyFor(t: TestContext, superuserUrl: string) {
  const url = await createPostgresCopy(superuserUrl);
  const admin = new pg.Client({ connectionString: url.replace('keyrail@', 'postgres@') });
  await admin.connect();
  t.after(async () => {
    await admin.end();
    await dropPostgresCopy(superuserUrl, url);
  });
  return { url, admin };
}

/**
 * The template is created under a temporary name, so that a failed migration doesn't leave a
 * partial template.
 */
async function createPostgresTemplate(
  admin: pg.Client,
  superuserUrl: string,
  template: string,
): Promise<void> {
  const unfinished = `${template}_unfinished`;
  await admin.query(`drop database if exists ${unfinished}`);
  await admin.query(`create database ${unfinished} owner keyrail`);
  const login = new pg.Client({ connectionString: loginUrl(superuserUrl, unfinished) });
  await login.connect();
  try {
    await migrate(login);
  } finally {
    await login.end();
  }
  await admin.query(`alter database ${unfinished} rename to ${template}`);
}

export async function dropPostgresCopy(superuserUrl: string, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await asSuperuser(superuserUrl, (admin) => admin.query(`drop database ${name} with (force)`));
}

export async function asSuperuser(
  superuserUrl: string,
  use: (admin: pg.Client) => Promise<unknown>,
): Promise<void> {
  const admin = new pg.Client({ connectionString: superuserUrl });
  await admin.connect();
  try {
    await use(admin);
  } finally {
    await admin.end();
  }
}

function loginUrl(superuserUrl: string, database: string): string {
  const url = new URL(superuserUrl);
  url.username = 'keyrail';
  url.pathname = `/${database}`;
  return url.toString();
}
