// Explains why a key is allowed or denied. The full key is read from stdin, never from an argument.
import type { Answer } from '@keyrail/client';
import type { Command } from '../command.ts';
import { envOf, envOption, projectOption } from '../input/options.ts';
import { projectIdOf } from '../input/resolve-ids.ts';
import type { Field } from '../output/fields.ts';
import { secretFrom } from '../terminal/prompt.ts';
import { instantOf } from '../times.ts';

type Explanation = Answer<'POST /v1/keys/explain'>;

const tones = { pass: 'green', fail: 'red', skipped: 'dim' } as const;

const fields: readonly Field<Explanation['checks'][number]>[] = [
  { title: 'check', of: ({ check }) => check },
  { title: 'outcome', of: ({ outcome }) => ({ text: outcome, tone: tones[outcome] }) },
  { title: 'detail', of: ({ detail }) => detail, shrink: true },
];

export const keyExplain: Command = {
  name: 'explain',
  summary: 'explain why a key is allowed or denied',
  options: [
    {
      flags: '--key-id <id>',
      about: 'explain the key with this ID instead of reading a key from stdin',
    },
    { ...projectOption, about: `${projectOption.about}, whose nodes verify the key` },
    { ...envOption, about: 'environment the route requires' },
    { flags: '--scope <scope>', about: 'scope the route requires; repeatable', repeat: true },
    { flags: '--at <when>', about: 'time of the request: 2027-01-31T12:00:00Z, or 30d from now' },
  ],
  examples: [
    'keyrail keys explain --project payments --scope invoices:read < key.txt',
    'keyrail keys explain --key-id 01890c5e-…',
  ],
  notes: `The key is read from stdin, or prompted for without echo, because other users can
see arguments. It is sent to the deployment, which neither stores nor logs it.`,
  run: async (context, given) => {
    const { terminal, output, now } = context;
    const client = context.client();
    const keyId = given.maybe('keyId') === undefined ? undefined : given.id('keyId');
    const project = given.maybe('project');
    const at = given.maybe('at');
    const asked = {
      project_id: project === undefined ? undefined : await projectIdOf(client, project),
      env: envOf(given),
      scopes: given.list('scope'),
      at: at === undefined ? undefined : instantOf(at, now()),
    };
    const named =
      keyId === undefined
        ? { key: await secretFrom(terminal, 'key', 'Key to explain') }
        : { key_id: keyId };
    const explained = await client.keys.explain({ body: { ...asked, ...named } });
    output.table(explained, explained.checks, fields);
    if (output.hasText) output.note(verdictText(explained));
  },
};

function verdictText({
  verdict,
  reason,
  key,
  policy_version: version,
  nodes,
}: Explanation): string {
  const name = key === null ? 'The key' : key.display_prefix;
  const because = reason === null ? '' : ` (${reason})`;
  const policy = version === null ? '' : ` at policy version ${version}`;
  const current =
    nodes.total === 0 ? '' : ` ${nodes.current} of ${nodes.total} nodes are on that version.`;
  return `${name} is ${verdict}${because}${policy}.${current}`;
}
