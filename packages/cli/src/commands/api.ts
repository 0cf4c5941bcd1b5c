// Sends any API request, for endpoints that have no command of their own.
import type { Command } from '../command.ts';
import { usage } from '../failures.ts';
import { jsonOf } from '../input/given.ts';
import { readAll } from '../terminal/prompt.ts';

export const api: Command = {
  name: 'api',
  summary: 'send a request and print the response',
  args: [
    { name: 'method', about: 'GET, POST, PATCH or DELETE' },
    { name: 'path', about: 'path and query, starting with /' },
  ],
  options: [
    { flags: '--body <json>', about: 'JSON body; - reads it from stdin' },
    {
      flags: '--header <line>',
      about: 'extra header, such as "x-a: b"; repeatable',
      repeat: true,
    },
  ],
  examples: [
    `keyrail api GET '/v1/keys?limit=5'`,
    `keyrail api PATCH /v1/workspace --body '{"name":"Acme"}'`,
    'keyrail api POST /v1/embed_tokens --body - < token.json',
  ],
  notes: `Never asks for confirmation, not even for DELETE. If you're not logged in, no
credential is sent.`,
  changes: true,
  run: async ({ terminal, target, anonymous, output }, given) => {
    const method = given.text('method').toUpperCase();
    const path = given.text('path');
    if (!/^[A-Z]{3,7}$/.test(method)) throw usage(`"${method}" isn't an HTTP method.`);
    if (!path.startsWith('/')) throw usage('The path must start with /.');
    const text = given.maybe('body');
    const json = text === '-' ? await readAll(terminal) : text;
    const { body } = await anonymous()
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
      const [, name = '', value = ''] =
        /^([\w-]+):\s*((?:[\x21-\x7e][\x20-\x7e]*)?)$/.exec(line) ?? [];
      if (name === '') throw usage('Pass headers as "name: value".');
      return [name, value];
    }),
  );
}
