// What someone who has just typed `npm start` wants to know.
import type { Config } from './config.ts';

/** From where it is: a token that was set is in no file. */
const tokenIn = ({ bootstrapToken, databaseUrl, dataDir }: Config): string =>
  bootstrapToken || databaseUrl
    ? '$KEYRAIL_BOOTSTRAP_TOKEN'
    : `$(cat ${inShell(`${dataDir.replace(/\/$/, '')}/bootstrap-token`)})`;

const inShell = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

const mailPlace = ({ mail }: Config): string => (mail.kind === 'file' ? mail.directory : 'SMTP');

/** The same for a log that machines read. */
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

  Found a workspace:

    curl -s ${url}/v1/workspaces \\
      -H "authorization: Bearer ${tokenIn(config)}" \\
      -H 'content-type: application/json' \\
      -d '{"name":"Acme","slug":"acme"}'

  Ctrl-C stops it.

`;
}
