// keyrail-server doctor: checks everything a deployment depends on, and says what to do. It doesn't
// change anything.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../base/clock.ts';
import { reasonOf } from '../base/errors.ts';
import { systemRandomBytes } from '../base/random.ts';
import { VERSION } from '../base/version.ts';
import { type Config, type ConfigResult, urlOf } from '../config.ts';
import { runChecks } from '../doctor/checks.ts';
import { type Finding, fault, type Outcome, type Severity } from '../doctor/finding.ts';
import { checkSettings } from '../doctor/settings-check.ts';
import { masterKeyIn } from '../settings/generated-secrets.ts';
import { signingPartsOf } from '../signing/parts.ts';

const USAGE =
  'usage: keyrail-server doctor [--json]\n' +
  'Exits with 0 if nothing is wrong, 1 if there are warnings, or 2 if there are errors.';

const exitCodes: Record<Severity, number> = { ok: 0, skipped: 0, warning: 1, error: 2 };

export async function doctorCommand(read: ConfigResult, words: readonly string[]): Promise<void> {
  const isJson = isJsonAsked(words);
  if (isJson === null) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = exitCodes.error;
    return;
  }
  const findings = await diagnose(read);
  const severity = worstOf(findings);
  const report = { version: VERSION, severity, findings };
  const text = isJson ? `${JSON.stringify(report)}\n` : textOf(findings);
  // Exits explicitly, because a server that has stopped responding may keep one of this process's
  // connections open.
  process.stdout.write(text, () => process.exit(exitCodes[severity]));
}

function isJsonAsked(words: readonly string[]): boolean | null {
  try {
    return (
      parseArgs({ args: [...words], options: { json: { type: 'boolean' } } }).values.json ?? false
    );
  } catch {
    return null;
  }
}

/** If the settings are invalid, nothing else is checked. */
export async function diagnose(read: ConfigResult): Promise<Finding[]> {
  const settings = checkSettings(read).map((outcome) => ({ check: 'settings', ...outcome }));
  if ('faults' in read) return settings;
  const { config } = read;
  const { listening } = config;
  const { unseal, ...problem } = await opener(config);
  const found = await runChecks({
    config,
    databaseUrl: config.store.databaseUrl?.reveal() ?? null,
    redisUrl: config.counters.redisUrl?.reveal() ?? null,
    publicUrl: listening.publicUrl ?? (listening.port === 0 ? null : urlOf(listening)),
    unseal,
    nowMs: () => systemClock.now().getTime(),
  });
  return [...settings, ...problem.findings, ...found];
}

/**
 * Unseals signing keys with the master key. Unlike a server start, this doesn't generate a master
 * key.
 */
async function opener({ store: { dataDir }, secrets, signing }: Config) {
  const isThere = secrets.masterKey !== null || existsSync(join(dataDir, 'master-key'));
  if (!isThere) return { unseal: null, findings: [] };
  try {
    const masterKey = secrets.masterKey ?? (await masterKeyIn(dataDir, systemRandomBytes));
    const { unseal } = signingPartsOf({ ...signing, masterKey, randomBytes: systemRandomBytes });
    return { unseal, findings: [] };
  } catch (error) {
    const outcome: Outcome = fault(
      `Cannot use the master key: ${reasonOf(error)}`,
      'Restore the file from a backup of the data directory.',
    );
    return { unseal: null, findings: [{ check: 'files', ...outcome }] };
  }
}

const worstOf = (findings: readonly Finding[]): Severity =>
  findings.reduce<Severity>(
    (worst, { severity }) => (exitCodes[severity] > exitCodes[worst] ? severity : worst),
    'ok',
  );

function textOf(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, severity, message, remedy }) => [
    `${severity.padEnd(9)}${check.padEnd(14)}${message}`,
    ...(remedy === null ? [] : [`${' '.repeat(23)}> ${remedy}`]),
  ]);
  const counted = (wanted: Severity): string => {
    const count = findings.filter(({ severity }) => severity === wanted).length;
    return `${count} ${wanted}${count === 1 ? '' : 's'}`;
  };
  return `${lines.join('\n')}\n\n${counted('error')}, ${counted('warning')}\n`;
}
