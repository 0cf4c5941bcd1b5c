// Code that calls an API with the new key, shown in the dialog that reveals the key.
import type { SnippetText } from '../../ui/content/snippet.tsx';

/** A placeholder, because Keyrail doesn't know the URL of the protected API. */
const API = 'https://api.example.com/';

export const keySnippets = (key: string): SnippetText[] => [
  { name: 'curl', code: `curl ${API} \\\n  -H 'authorization: Bearer ${key}'` },
  {
    name: 'fetch',
    code: `await fetch('${API}', {\n  headers: { authorization: 'Bearer ${key}' },\n});`,
  },
];
