// Commands for the audit log and its hash chain.
import type { Item } from '@keyrail/client';
import { type Command, type Group, listCommand } from '../command.ts';
import { refused } from '../failures.ts';
import type { Field, Format } from '../output/fields.ts';
import type { Reference } from '../output/names.ts';
import { auditExport } from './export-audit.ts';

type AuditRow = Item<'GET /v1/audit_logs'>;

/** Shows users by email address, secret keys by prefix, and other actors by type. */
function actorOf({ actor, actor_type: type, actor_id: id }: AuditRow, { nameOf }: Format): string {
  if (actor) return actor.email;
  if (type !== 'secret_key' || id === null) return type.replace('_', ' ');
  const name = nameOf(id);
  return name === id ? `secret key ${id}` : name;
}

/**
 * Collects the IDs in an entry. If the entry also contains its target's name, the table shows that
 * name wherever the ID appears.
 */
function referencesOf({ payload, ...row }: AuditRow): Reference[] {
  const fields = [payload.display_prefix, payload.external_id, payload.slug, payload.email];
  const name = fields.find((field) => typeof field === 'string');
  const target = { type: row.target_type, id: row.target_id, name };
  if (row.actor_type !== 'secret_key' || row.actor_id === null) return [target];
  return [target, { type: 'secret_key', id: row.actor_id }];
}

const fields: readonly Field<AuditRow>[] = [
  { title: 'seq', of: (row) => row.seq },
  { title: 'when', of: (row, format) => format.time(row.occurred_at) },
  { title: 'action', of: (row) => row.action },
  { title: 'by', of: actorOf, shrink: true },
  { title: 'target', of: (row, { nameOf }) => nameOf(row.target_id), shrink: true },
];

const orders = ['asc', 'desc'] as const;

const verify: Command = {
  name: 'verify',
  summary: 'verify the hash chain of the audit log',
  examples: ['keyrail audit verify', 'keyrail audit verify --json'],
  notes: 'The server recomputes every hash. Exits with 1 if the chain is broken.',
  run: async ({ client, output }) => {
    const chain = await client().call('GET /v1/audit_logs/chain', { timeoutMs: 120_000 });
    const { verified, checked, head_seq: head, head_hash: hash } = chain;
    const intact = `The chain is intact: ${checked} entries checked, last entry ${head}, hash ${hash}.`;
    const broken = `The chain is broken at entry ${chain.broken_seq}: ${chain.reason}`;
    output.report(chain, verified ? intact : broken);
    if (!verified) throw refused('The audit log has been tampered with or damaged.');
  },
};

const anchor: Command = {
  name: 'anchor',
  summary: 'show the latest signed anchor of the audit log',
  examples: ['keyrail audit anchor', 'keyrail audit anchor --json >> anchors.jsonl'],
  notes: `Keep it where the server's operator can't change it. It later proves that no entry
up to it was removed or rewritten: docs/verify-audit-chain.mjs compares an export
with a file of anchors.`,
  run: async ({ client, output }) => {
    const head = await client().call('GET /v1/audit_logs/anchor');
    const { seq, hash, anchored_at: at } = head;
    output.part({ json: head, sentence: `Entry ${seq} was signed at ${at}, hash ${hash}.` });
  },
};

export const audit: Group = {
  name: 'audit',
  summary: 'a log of every change',
  commands: [
    listCommand({
      summary: 'list audit log entries, oldest first',
      options: [
        { flags: '--after <seq>', about: 'only entries after this sequence number' },
        { flags: '--order <order>', about: 'asc, or desc for the newest first', choices: orders },
        {
          flags: '--action <action>',
          about: 'an action, or a type with ".*", such as "api_key.*"',
        },
        { flags: '--actor <id>', about: 'only changes by this user or secret key' },
        { flags: '--target-type <type>', about: 'only changes to this type, such as api_key' },
        { flags: '--target <id>', about: 'only changes to this record' },
        { flags: '--from <time>', about: 'only entries at or after this time' },
        { flags: '--to <time>', about: 'only entries before this time' },
      ],
      examples: [
        'keyrail audit list --order desc --limit 20',
        'keyrail audit list --after 1200 --all --json',
        'keyrail audit list --action "secret_key.*" --from 2026-03-01T00:00:00Z',
        'keyrail audit list --target 01890c5e-…',
      ],
      pageMax: 200,
      pages: (client, given, page) =>
        client.pages('GET /v1/audit_logs', {
          ...page,
          query: {
            ...page.query,
            after_seq: given.number('after'),
            order: given.maybeOneOf('order', orders),
            action: given.maybe('action'),
            actor_id: given.maybe('actor'),
            target_type: given.maybe('targetType'),
            target_id: given.maybe('target'),
            from: given.maybe('from'),
            to: given.maybe('to'),
          },
        }),
      fields,
      references: referencesOf,
      empty: 'No entries.',
    }),
    verify,
    anchor,
    auditExport,
  ],
};
