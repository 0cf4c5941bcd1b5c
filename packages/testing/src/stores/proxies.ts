/** Finds nginx and Caddy on this machine, or installs the distribution's if permitted. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Writes a configuration around a site, as one process, and returns the arguments of nginx. */
export function writeNginx(directory: string, site: string): string[] {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  );
  const around = [
    'daemon off;\nmaster_process off;',
    `pid ${directory}/pid;`,
    `events {}\nhttp { access_log off; ${temporary.join(' ')}\n${site}\n}`,
  ];
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, around.join('\n'));
  return ['-e', 'stderr', '-c', file, '-p', directory];
}
