// Code that calls an API with a new key, for the dialog that shows the key once.
import type { SnippetText } from '../../ui/content/snippet.tsx';

/** The server doesn't know the URL of the protected API. */
const API = 'https://api.example.com/';

export const keySnippets = (key: string): SnippetText[] => [
  { name: 'curl', code: `curl ${API} \\\n  -H 'authorization: Bearer ${key}'` },
  {
    name: 'fetch',
    code: `await fetch('${API}', {\n  headers: { authorization: 'Bearer ${key}' },\n});`,
  },
];
