// Searches through everything in the workspace.
import type { Answer } from '@keyrail/client';
import { searchTypes } from '@keyrail/protocol/wire/search-types.ts';
import { looksSecret } from '@keyrail/protocol/wire/secret-texts.ts';
import type { Command } from '../command.ts';
import { usage } from '../failures.ts';
import type { Given } from '../input/given.ts';
import { envOf, envOption } from '../input/options.ts';
import { type Field, idField } from '../output/fields.ts';

type Result = Answer<'GET /v1/search'>['data'][number];

const fields: readonly Field<Result>[] = [
  { title: 'type', of: ({ type }) => type.replaceAll('_', ' ') },
  idField,
  { title: 'title', of: ({ title }) => title, shrink: true },
  { title: 'subtitle', of: ({ subtitle }) => subtitle, shrink: true },
  { title: 'env', of: ({ env }) => env, drop: 1 },
  { title: 'state', of: ({ state }) => state, drop: 2 },
];

/** URLs are logged, so a full credential is never sent. */
function textOf(given: Given): string {
  const text = given.text('text');
  if (!looksSecret(text)) return text;
  throw usage(
    "The text contains a full key. Don't pass keys as arguments.",
    'To see why a key is allowed or denied, pipe it to: keyrail keys explain',
  );
}

export const find: Command = {
  name: 'find',
  summary: 'find keys, tenants, projects, secret keys, members and nodes',
  args: [
    { name: 'text', about: 'part of a name, prefix, email address or ID; 3 characters or more' },
  ],
  options: [{ flags: '--type <type>', about: 'only this type', choices: searchTypes }, envOption],
  examples: [
    'keyrail find globex',
    'keyrail find cust_1042 --type tenant',
    'keyrail find integration --env live --json',
  ],
  notes: 'Prints at most 10 results of each type, the best matches first.',
  run: async ({ client, output }, given) => {
    const type = given.maybeOneOf('type', searchTypes);
    const found = await client().call('GET /v1/search', {
      query: {
        q: textOf(given),
        types: type && [type],
        env: envOf(given),
      },
    });
    output.list(found.data, fields, { empty: 'Nothing found.' });
  },
};
