// The first lines after `npm start`: where the server is and how to try it.
import type { Config } from './config.ts';

/** Shell expression for the token: a generated token is in a file, a configured one is not. */
const tokenIn = ({ bootstrapToken, databaseUrl, dataDir }: Config): string =>
  bootstrapToken || databaseUrl
    ? '$KEYRAIL_BOOTSTRAP_TOKEN'
    : `$(cat ${inShell(`${dataDir.replace(/\/$/, '')}/bootstrap-token`)})`;

const inShell = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

const mailPlace = ({ mail }: Config): string => (mail.kind === 'file' ? mail.directory : 'SMTP');

/** The same as log fields, without a terminal. */
export const tryIt = (url: string, config: Config): Record<string, string> => ({
  docs: `${url}/docs`,
  mail: mailPlace(config),
  try:
    `curl ${url}/v1/workspaces -H "authorization: Bearer ${tokenIn(config)}"` +
    ` -H 'content-type: application/json' -d '{"name":"Acme","slug":"acme"}'`,
});

export function welcome(url: string, config: Config): string {
  return `
  Keyrail is ready at ${url}

  Reference  ${url}/docs
  Mail       ${mailPlace(config)}

  Create a workspace:

    curl -s ${url}/v1/workspaces \\
      -H "authorization: Bearer ${tokenIn(config)}" \\
      -H 'content-type: application/json' \\
      -d '{"name":"Acme","slug":"acme"}'

  Ctrl-C stops it.

`;
}
