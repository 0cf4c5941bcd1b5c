// A request in the raw, for whatever has no command of its own.
import type { Command } from '../command.ts';
import { usage } from '../faults.ts';
import { jsonOf } from '../given.ts';
import { readAll } from '../prompt.ts';

export const api: Command = {
  name: 'api',
  summary: 'send a request and print the answer',
  args: [
    { name: 'method', about: 'GET, POST, PATCH or DELETE' },
    { name: 'path', about: 'path with its query, from the root on' },
  ],
  options: [
    { flags: '--body <json>', about: 'body as JSON; - reads it from stdin' },
    { flags: '--header <line>', about: 'further header, as in "x-a: b"; repeatable', repeat: true },
  ],
  examples: [
    `keyrail api GET '/v1/keys?limit=5'`,
    `keyrail api PATCH /v1/workspace --body '{"name":"Acme"}'`,
    'keyrail api POST /v1/embed_tokens --body - < token.json',
  ],
  notes: 'Nothing is asked beforehand, not even for DELETE. Without a login it goes out bare.',
  changes: true,
  run: async ({ terminal, target, stranger, output }, given) => {
    const method = given.text('method').toUpperCase();
    const path = given.text('path');
    if (!/^[A-Z]{3,7}$/.test(method)) throw usage(`"${method}" is no method.`);
    if (!path.startsWith('/')) throw usage('The path begins with /.');
    const text = given.maybe('body');
    const json = text === '-' ? await readAll(terminal) : text;
    const { body } = await stranger()
      .withToken(target.token)
      .request({
        method,
        path,
        headers: headersOf(given.list('header') ?? []),
        ...(json !== undefined && { body: jsonOf('body', json) }),
      });
    output.answer(body);
  },
};

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([\w-]+):\s*([\x20-\x7e]*)$/.exec(line) ?? [];
      if (name === '') throw usage('A header is written as "name: value".');
      return [name, value];
    }),
  );
}
