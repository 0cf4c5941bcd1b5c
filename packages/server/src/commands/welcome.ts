// The last lines printed at startup: how to try the server and, at the very end, where to open it.
import { resolve } from 'node:path';
import type { Config } from '../config.ts';

/** The file with the generated token; null if none was generated. */
const tokenFile = ({ secrets, store: { databaseUrl, dataDir } }: Config): string | null =>
  secrets.bootstrapToken || databaseUrl ? null : `${dataDir.replace(/\/$/, '')}/bootstrap-token`;

/** A shell expression that expands to the token. */
function tokenIn(config: Config): string {
  const file = tokenFile(config);
  return file === null ? '$KEYRAIL_BOOTSTRAP_TOKEN' : `$(cat ${inShell(file)})`;
}

const inShell = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** Many programs read the variable PORT, so it may have been meant for a different program. */
const portHint = ({ listening }: Config): string =>
  listening.portFrom === 'PORT' ? ' (port set by PORT)' : '';

const mailPlace = ({ mail: { mail } }: Config): string =>
  mail.kind === 'file' ? mail.directory : 'SMTP';

/**
 * The same information as log fields, for starts without a terminal. Paths are absolute, because a
 * log has no working directory.
 */
export function readyFields(url: string, config: Config): Record<string, string> {
  const file = tokenFile(config);
  const { mail } = config.mail;
  return {
    url,
    port_from: config.listening.portFrom ?? 'default',
    docs: `${url}/docs`,
    mail: mail.kind === 'file' ? resolve(mail.directory) : 'SMTP',
    ...(file !== null && { bootstrap_token_file: resolve(file) }),
  };
}

export function welcome(url: string, config: Config): string {
  return `
  API docs  ${url}/docs
  Email     ${mailPlace(config)}

  To create a workspace without a browser:

    curl -s ${url}/v1/workspaces \\
      -H "authorization: Bearer ${tokenIn(config)}" \\
      -H 'content-type: application/json' \\
      -d '{"name":"Acme","slug":"acme"}'

  Press Ctrl-C to stop.

  Open ${url} in a browser${portHint(config)}
`;
}
