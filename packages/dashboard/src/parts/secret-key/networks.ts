// The networks of a secret key, as text with one CIDR block per line.
import { texts } from './texts.ts';

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line, at) => ({ block: line.trim(), number: at + 1 }))
    .filter(({ block }) => block !== '');

export const networksIn = (text: string): string[] => linesOf(text).map(({ block }) => block);

/**
 * The server's errors about the networks. An error about a single network includes its line number.
 */
export function networksError(
  errors: Readonly<Record<string, string>>,
  text: string,
): string | null {
  const found = linesOf(text).flatMap(({ number }, at) => {
    const message = errors[`networks.${at}`];
    return message === undefined ? [] : [texts.limits.line(number, message)];
  });
  return [...(errors.networks ? [errors.networks] : []), ...found].join(' · ') || null;
}
