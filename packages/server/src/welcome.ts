// What someone who has just typed `npm start` wants to know.
import type { Config } from './config.ts';

export function welcome(url: string, { databaseUrl, dataDir }: Config): string {
  const token = databaseUrl
    ? '$KEYRAIL_BOOTSTRAP_TOKEN'
    : `$(cat ${dataDir.replace(/\/$/, '')}/bootstrap-token)`;
  return `
  Keyrail is ready at ${url}
  Reference  ${url}/docs

  Found a workspace:

    curl -s ${url}/v1/workspaces \\
      -H "authorization: Bearer ${token}" \\
      -H 'content-type: application/json' \\
      -d '{"name":"Acme","slug":"acme"}'

  Ctrl-C stops it.

`;
}
