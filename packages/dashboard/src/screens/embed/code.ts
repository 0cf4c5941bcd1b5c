// The code to embed the key manager: a backend route that creates a token, and a page that uses it.
import type { Env } from '../../paths.ts';
import type { SnippetText } from '../../ui/content/snippet.tsx';
import { texts } from './texts.ts';

type TokenChoice = {
  url: string;
  projectId: string;
  env: Env;
  mayWrite: boolean;
  keyScopes: readonly string[];
};

export function snippetsOf(choice: TokenChoice): SnippetText[] {
  const { backend, page, react, curl } = texts.code;
  return [
    { name: backend, code: backendOf(choice) },
    { name: page, code: pageOf(choice) },
    { name: react, code: reactOf(choice) },
    { name: curl, code: curlOf(choice) },
  ];
}

const tokenScopes = ({ mayWrite, keyScopes }: TokenChoice): string[] => [
  'keys:read',
  ...(mayWrite ? ['keys:write', ...keyScopes.map((scope) => `key_scope:${scope}`)] : []),
];

const quoted = (scopes: readonly string[]): string =>
  scopes.map((scope) => `'${scope}'`).join(', ');

const backendOf = (choice: TokenChoice): string => `\
import { createClient } from '@keyrail/client';

const keyrail = createClient({
  url: '${choice.url}',
  token: process.env.KEYRAIL_SECRET_KEY, // a ${choice.env} secret key with the profile embed
});

// Put this route behind your own sign-in. The tenant comes from your session.
app.post('/api/keyrail-token', async (request, response) => {
  const { token, refresh_after } = await keyrail.embedTokens.create({
    body: {
      project_id: '${choice.projectId}',
      tenant_id: request.session.keyrailTenantId,
      env: '${choice.env}',
      scopes: [${quoted(tokenScopes(choice))}],
    },
  });
  response.json({ token, refresh_after });
});
`;

const pageOf = ({ url }: TokenChoice): string => `\
<script type="module" src="${url}/widget.js"></script>
<keyrail-keys token-url="/api/keyrail-token"></keyrail-keys>
`;

const reactOf = ({ url }: TokenChoice): string => `\
import { KeyrailKeys } from '@keyrail/widget/react';

const getToken = async () => {
  const response = await fetch('/api/keyrail-token', { method: 'POST' });
  return response.json();
};

export const ApiKeys = () => <KeyrailKeys url="${url}" getToken={getToken} />;
`;

const curlOf = (choice: TokenChoice): string => `\
curl -sS ${choice.url}/v1/embed_tokens \\
  -H "authorization: Bearer $KEYRAIL_SECRET_KEY" \\
  -H 'content-type: application/json' \\
  -d '${JSON.stringify({
    project_id: choice.projectId,
    tenant_id: '<tenant ID>',
    env: choice.env,
    scopes: tokenScopes(choice),
  })}'
`;
