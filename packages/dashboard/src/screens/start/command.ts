// What a person runs: a command that starts a node and calls it, and the same in code of their own.
import type { SnippetText } from '../../ui/snippet.tsx';
import { SCOPE } from './create-first.ts';
import { texts } from './texts.ts';

type Facts = { url: string; projectId: string; key: string; secretKey: string };

export const snippetsOf = (facts: Facts): SnippetText[] => [
  { name: texts.reveal.terminal, code: commandOf(facts) },
  { name: texts.reveal.own, code: codeOf(facts) },
];

const commandOf = ({ url, projectId, key, secretKey }: Facts): string => `\
KEYRAIL_URL=${url} \\
KEYRAIL_PROJECT_ID=${projectId} \\
KEYRAIL_SECRET_KEY=${secretKey} \\
PORT=3000 npm run example &
curl -sS -w '\\n' --retry 20 --retry-delay 1 --retry-connrefused \\
  -H 'authorization: Bearer ${key}' \\
  http://127.0.0.1:3000/invoices
`;

const codeOf = ({ url, projectId, secretKey }: Facts): string => `\
import { createKeyrail } from '@keyrail/sdk';
import { contextOf, protect } from '@keyrail/sdk/express';
import express from 'express';

const keyrail = createKeyrail({
  url: '${url}',
  projectId: '${projectId}',
  secretKey: '${secretKey}', // from your environment, later
});
const app = express();

app.get('/invoices', protect(keyrail, { scopes: ['${SCOPE}'] }), (request, response) => {
  response.json({ customer: contextOf(keyrail, request).tenantId });
});

await keyrail.ready();
app.listen(3000);
`;
