// The search of an address: flat strings, so that addresses stay readable. Nothing that was pasted
// leaves a key in them.
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
