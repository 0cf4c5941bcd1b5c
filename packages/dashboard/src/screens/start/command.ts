// Three ways to send a first verified request: code for an app, Edge with curl, and the example in
// a clone of the repository. The last two are commands that work unchanged.
import type { SnippetText } from '../../ui/content/snippet.tsx';
import { SCOPE } from './create-first.ts';
import { texts } from './texts.ts';

type Facts = { url: string; projectId: string; key: string; secretKey: string };

export const snippetsOf = (facts: Facts): SnippetText[] => [
  { name: texts.reveal.own, code: codeOf(facts) },
  { name: texts.reveal.edge, code: edgeOf(facts) },
  { name: texts.reveal.example, code: exampleOf(facts) },
];

const settingsOf = ({ url, projectId, secretKey }: Facts): string => `\
KEYRAIL_URL=${url} \\
KEYRAIL_PROJECT_ID=${projectId} \\
KEYRAIL_SECRET_KEY=${secretKey} \\
`;

const RETRIES = '--retry 20 --retry-delay 1 --retry-connrefused';

/**
 * Edge starts listening before it has loaded the policy, and /readyz fails until it has. Without
 * --fail, curl would write the 503 to /dev/null, try to truncate that file before the next attempt,
 * and give up.
 */
const edgeOf = (facts: Facts): string => `\
${settingsOf(facts)}KEYRAIL_EDGE_LISTEN=127.0.0.1:4410 npx keyrail-edge &
curl -s --fail -o /dev/null ${RETRIES} http://127.0.0.1:4410/readyz
curl -sS -w '\\n' http://127.0.0.1:4410/v1/verify \\
  -H 'content-type: application/json' \\
  -d '{"key":"${facts.key}","scopes":["${SCOPE}"]}'
`;

const exampleOf = (facts: Facts): string => `\
${settingsOf(facts)}PORT=3000 npm run example &
curl -sS -w '\\n' ${RETRIES} \\
  -H 'authorization: Bearer ${facts.key}' \\
  http://127.0.0.1:3000/invoices
`;

const codeOf = ({ url, projectId, key, secretKey }: Facts): string => `\
import { createKeyrail } from '@keyrail/sdk';
import { contextOf, protect } from '@keyrail/sdk/express';
import express from 'express';

const keyrail = createKeyrail({
  url: '${url}',
  projectId: '${projectId}',
  secretKey: '${secretKey}', // move this to an environment variable later
});
const app = express();

app.get('/invoices', protect(keyrail, { scopes: ['${SCOPE}'] }), (request, response) => {
  response.json({ tenant: contextOf(keyrail, request).tenantId });
});

await keyrail.ready();
app.listen(3000);
// curl -H 'authorization: Bearer ${key}' http://127.0.0.1:3000/invoices
`;
