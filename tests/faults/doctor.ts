// Runs the doctor in this process, with settings like an operator's.
import { match, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { diagnose } from '@keyrail/server/commands/doctor.ts';
import { readConfig } from '@keyrail/server/config.ts';
import { migrate } from '@keyrail/server/db/migrate.ts';
import { withPostgresAdmin } from '@keyrail/server/db/postgres.ts';
import type { Finding, Severity } from '@keyrail/server/doctor/finding.ts';
import { postgresCopyFor } from '@keyrail/testing/database-copies.ts';

export type Settings = Record<string, string>;

/**
 * Settings with a new data directory. The port is 0, so that the server has no default public URL.
 */
export async function quietSettings(
  t: TestContext,
): Promise<Settings & { KEYRAIL_DATA_DIR: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'kr-doctor-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return {
    KEYRAIL_DATA_DIR: directory,
    KEYRAIL_PORT: '0',
    KEYRAIL_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
  };
}

export const diagnosed = (settings: Settings): Promise<Finding[]> => diagnose(readConfig(settings));

/** Finds a check's result by its message. Every warning and error must include a remedy. */
export function found(findings: readonly Finding[], check: string, message: RegExp): Finding {
  const own = findings.filter((finding) => finding.check === check);
  const [finding] = own.filter((each) => message.test(each.message));
  ok(finding, `${check} does not say ${message}: ${JSON.stringify(own, null, 2)}`);
  const isWrong = finding.severity === 'warning' || finding.severity === 'error';
  if (isWrong) match(finding.remedy ?? '', /\w{3}/, 'every finding has a remedy');
  return finding;
}

/** The messages that a check reports with this severity. */
export const messagesOf = (findings: readonly Finding[], check: string, severity: Severity) =>
  findings
    .filter((finding) => finding.check === check && finding.severity === severity)
    .map(({ message }) => message);

export const superuserUrl = process.env.KEYRAIL_TEST_POSTGRES ?? '';
/** Returns why tests on PostgreSQL are skipped, or false if they run. */
export const skip = superuserUrl === '' && 'no PostgreSQL';

type Broken = { settings: Settings; break(text: string, values?: unknown[]): Promise<void> };

/** A migrated database that a test can break with statements run as the superuser. */
export async function database(t: TestContext): Promise<Broken> {
  const { url, admin } = await postgresCopyFor(t, superuserUrl);
  await withPostgresAdmin(url, migrate); // the copy gets its own roles
  await admin.query('set search_path = keyrail');
  await admin.query('set session_replication_role = replica'); // triggers are off
  return {
    settings: { ...(await quietSettings(t)), DATABASE_URL: url },
    break: async (text, values) => void (await admin.query(text, values)),
  };
}
