/** Finds nginx and Caddy on this machine, or installs the distribution's if permitted. */
import { spawnSync } from 'node:child_process';
import { installFromDistribution } from './distribution.ts';

export type ProxyProgram = 'nginx' | 'caddy';

const packages: Record<ProxyProgram, { name: string; version: string }> = {
  nginx: { name: 'nginx-light', version: '-v' },
  caddy: { name: 'caddy', version: 'version' },
};

/** Null if the program is there, otherwise the reason why it is missing. */
export function proxyIsMissing(program: ProxyProgram): string | null {
  const { name, version } = packages[program];
  const runs = () => spawnSync(program, [version], { stdio: 'ignore' }).status === 0;
  if (runs()) return null;
  const refusal = installFromDistribution(name);
  return runs() ? null : `no ${program}: ${refusal ?? 'none was installed'}`;
}
