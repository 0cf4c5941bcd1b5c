// An HAProxy on loopback for the duration of a test.
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createDaemon, type Daemon } from './daemon.ts';
import { makeScratch, removeScratch, unprivilegedAccount } from './scratch.ts';

export type Haproxy = Daemon & { close(): Promise<void> };

type Listened = {
  name: string;
  port: number;
  mode: 'tcp' | 'http';
  /** The request to which a usable server responds with a 200. */
  check: string;
  /** Used in place of `check` while no server passes it. */
  otherwise?: string;
  servers: { port: number; checkPort: number }[];
};

const READABLE = 0o644;

/**
 * After two failed checks in a row, HAProxy closes a server's sessions; after three successful
 * ones, it sends the server new sessions. By then, a primary that was frozen has stepped down.
 */
const DEFAULTS = `defaults
  timeout connect 2s
  timeout client 75s
  timeout server 75s
  timeout check 2s
  retries 2
  option redispatch
  default-server inter 1s fall 2 rise 3 on-marked-down shutdown-sessions
`;

const globalsOf = (control: string): string => `global
  maxconn 2000
  stats socket ${control}
`;

const serversOf = (name: string, servers: Listened['servers']): string =>
  servers
    .map(
      ({ port, checkPort }, n) =>
        `  server ${name}${n} 127.0.0.1:${port} check port ${checkPort}\n`,
    )
    .join('');

const checkedBy = (check: string): string => `  option httpchk GET ${check}
  http-check expect status 200
`;

function textOf({ name, port, mode, check, otherwise, servers }: Listened): string {
  const backend = (suffix: string, path: string) =>
    `backend ${name}_${suffix}\n  mode ${mode}\n${checkedBy(path)}${serversOf(name, servers)}`;
  return `frontend ${name}
  bind 127.0.0.1:${port}
  mode ${mode}
${otherwise ? `  use_backend ${name}_otherwise if { nbsrv(${name}_checked) eq 0 }\n` : ''}\
  default_backend ${name}_checked
${backend('checked', check)}${otherwise ? backend('otherwise', otherwise) : ''}`;
}

export async function startHaproxy(listened: readonly Listened[]): Promise<Haproxy> {
  const account = unprivilegedAccount(['haproxy', 'nobody']);
  const scratch = makeScratch('haproxy', account);
  const settings = join(scratch, 'haproxy.cfg');
  const control = join(scratch, 'control');
  const text = globalsOf(control) + DEFAULTS + listened.map(textOf).join('');
  writeFileSync(settings, text, { mode: READABLE });
  const end = () => removeScratch(scratch);
  process.once('exit', end);
  const daemon = createDaemon({
    words: ['haproxy', '-db', '-f', settings],
    account,
    log: join(scratch, 'log'),
    isReady: () => isChecked(control),
  });
  const close = async () => {
    await daemon.kill();
    end();
    process.off('exit', end);
  };
  await daemon.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { ...daemon, close };
}

/**
 * True once every server has been checked. HAProxy sends connections to an unchecked server, and
 * closes them when its first check fails.
 */
async function isChecked(control: string): Promise<boolean> {
  const [header = '', ...rows] = (await readStatistics(control)).trim().split('\n');
  const names = header.replace('# ', '').split(',');
  const read = (row: string, name: string) => row.split(',')[names.indexOf(name)] ?? '';
  const servers = rows.filter((row) => !['FRONTEND', 'BACKEND'].includes(read(row, 'svname')));
  // Until a server's first check is complete, its `check_status` is "INI" or "* INI".
  const isKnown = (row: string) => /[A-Z]/.test(read(row, 'check_status').replace('INI', ''));
  return servers.length > 0 && servers.every(isKnown);
}

/** HAProxy's statistics table; empty while nothing is listening on the socket. */
function readStatistics(control: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(control).setEncoding('utf8');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  socket.once('end', () => resolve(text));
  socket.once('error', () => resolve(''));
  socket.write('show stat\n');
  return promise.finally(() => socket.destroy());
}
