// Reads and writes query strings. Values are plain text, so that URLs stay readable. Pasted keys
// are removed.
import { withoutSecrets } from '@keyrail/protocol/wire/secret-texts.ts';

export type Search = Readonly<Record<string, string>>;

export const parseSearch = (text: string): Search =>
  Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, withoutSecrets(value)]),
  );

export function hrefOf(path: string, search: Search): string {
  const strings = Object.entries(search).flatMap(([name, value]) =>
    value === '' ? [] : [[name, withoutSecrets(value)]],
  );
  const text = new URLSearchParams(strings).toString();
  return text === '' ? path : `${path}?${text}`;
}
