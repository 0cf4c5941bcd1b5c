// Code that uses a new secret key. It contains the key, so it is also shown only once.
import type { SnippetText } from '../../ui/content/snippet.tsx';

export const snippetsOf = (key: string): SnippetText[] => [
  {
    name: 'curl',
    code: `curl ${location.origin}/v1/secret_keys/current \\\n  -H 'authorization: Bearer ${key}'`,
  },
  { name: 'Environment', code: `KEYRAIL_URL=${location.origin}\nKEYRAIL_SECRET_KEY=${key}` },
];
