// Every statement is prepared under a name derived from its text. The map stays small, because
// texts do not contain values.
import { createHash } from 'node:crypto';

const names = new Map<string, string>();

export function preparedName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `kr_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    names.set(text, name);
  }
  return name;
}
