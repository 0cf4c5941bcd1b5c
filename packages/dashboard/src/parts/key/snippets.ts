// How a tenant uses a key, for the dialog that shows it once.
import type { SnippetText } from '../../ui/content/snippet.tsx';

/** The protected API's own URL is not known here. */
const API = 'https://api.example.com/';

export const keySnippets = (key: string): SnippetText[] => [
  { name: 'curl', code: `curl ${API} \\\n  -H 'authorization: Bearer ${key}'` },
  {
    name: 'fetch',
    code: `await fetch('${API}', {\n  headers: { authorization: 'Bearer ${key}' },\n});`,
  },
];
