/** Finds Prometheus and promtool on this machine, or installs the distribution's if permitted. */
import { spawnSync } from 'node:child_process';
import { installFromDistribution } from './distribution.ts';

/**
 * For a test's `skip`: false if Prometheus and promtool are installed, otherwise the reason, which
 * is also logged.
 */
export function prometheusIsMissing(): string | false {
  if (runs()) return false;
  const refusal = installFromDistribution('prometheus');
  if (runs()) return false;
  const reason = `no Prometheus: ${refusal ?? 'none was installed'}`;
  console.error(`Tests with Prometheus are skipped: ${reason}`);
  return reason;
}

/** Returns the problems that promtool finds in /metrics text; empty if there are none. */
export function metricsFaults(text: string): string {
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  return checked.status === 0 ? '' : `${checked.stdout}${checked.stderr}` || 'promtool failed';
}

const runs = (): boolean =>
  ['prometheus', 'promtool'].every(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  );
