// The search part of a URL: flat strings, so that URLs stay readable. A pasted key is removed.
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
