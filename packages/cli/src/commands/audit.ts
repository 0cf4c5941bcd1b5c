// The history of every change, and the proof that nobody edited it.
import type { Item } from '@keyrail/client/types.ts';
import { type Command, type Group, listing } from '../command.ts';
import type { Fact } from '../facts.ts';
import { refused } from '../faults.ts';

type AuditRow = Item<'GET /v1/audit_logs'>;

const actorOf = (row: AuditRow): string => row.actor?.email ?? row.actor_type.replace('_', ' ');

const facts: readonly Fact<AuditRow>[] = [
  { title: 'seq', of: (row) => row.seq },
  { title: 'when', of: (row, look) => look.time(row.occurred_at) },
  { title: 'action', of: (row) => row.action },
  { title: 'by', of: actorOf, shrink: true },
  { title: 'target', of: (row) => row.target_id, shrink: true },
];

const verify: Command = {
  name: 'verify',
  summary: 'verify the chain of hashes',
  examples: ['keyrail audit verify', 'keyrail audit verify --json'],
  notes: 'The server derives every hash anew. A broken chain exits with 1.',
  run: async ({ client, output }) => {
    const chain = await client().call('GET /v1/audit_logs/chain', { timeoutMs: 120_000 });
    const { verified, checked, head_seq: head, head_hash: hash } = chain;
    const sound = `Sound: ${checked} rows checked, head ${head} with hash ${hash}.`;
    const broken = `Broken at ${chain.broken_seq}: ${chain.reason}`;
    output.did(chain, verified ? sound : broken);
    if (!verified) throw refused('The audit log has been tampered with or damaged.');
  },
};

export const audit: Group = {
  name: 'audit',
  summary: 'the history of every change',
  commands: [
    listing({
      summary: 'list audit rows, oldest first',
      options: [{ flags: '--after <seq>', about: 'only rows after this number' }],
      examples: ['keyrail audit list', 'keyrail audit list --after 1200 --all --json'],
      pageMax: 200,
      walk: (client, given, page) =>
        client.pages('GET /v1/audit_logs', {
          ...page,
          query: { ...page.query, after_seq: given.number('after') },
        }),
      facts,
      empty: 'No rows.',
    }),
    verify,
  ],
};
