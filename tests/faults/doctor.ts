// The doctor in this process, over settings as an operator gives them.
import { match, ok } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readConfig } from '@keyrail/server/config.ts';
import type { Finding, Severity } from '@keyrail/server/doctor/finding.ts';
import { diagnose } from '@keyrail/server/doctor-command.ts';

export type Settings = Record<string, string>;

/** A data directory of its own, and a port that no public URL is derived from. */
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

/** The finding of a check whose message matches. It has a remedy, unless nothing is wrong. */
export function found(findings: readonly Finding[], check: string, message: RegExp): Finding {
  const own = findings.filter((finding) => finding.check === check);
  const [finding] = own.filter((each) => message.test(each.message));
  ok(finding, `${check} does not say ${message}: ${JSON.stringify(own, null, 2)}`);
  const isWrong = finding.severity === 'warning' || finding.severity === 'error';
  if (isWrong) match(finding.remedy ?? '', /\w{3}/, 'every finding has a remedy');
  return finding;
}

/** The messages of a check with a severity. */
export const messagesOf = (findings: readonly Finding[], check: string, severity: Severity) =>
  findings
    .filter((finding) => finding.check === check && finding.severity === severity)
    .map(({ message }) => message);
