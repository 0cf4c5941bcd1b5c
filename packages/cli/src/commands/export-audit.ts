// Exports the audit log to a file that can be verified without access to the server.
import { AUDIT_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Command } from '../command.ts';
import { openAuditFile } from '../exports/audit-file.ts';

/** The maximum number of pages to read, which is enough for a long audit log. */
const PAGES_MAX = 1_000_000;

export const auditExport: Command = {
  name: 'export',
  summary: 'export the audit log to a file, verifying it along the way',
  options: [
    { flags: '--out <file>', about: 'output file, in JSON Lines format', required: true },
    { flags: '--since <seq>', about: 'continue after this entry' },
  ],
  examples: [
    'keyrail audit export --out audit.jsonl',
    'keyrail audit export --out audit.jsonl --since 1200',
  ],
  notes: `If the file exists, the export is appended to it: pass the number of its last entry
as --since. With a new file, --since exports only the entries after that one. If the
command is interrupted, run it again with --since; the entries in the file are checked
again.
docs/verify-audit-chain.mjs verifies the file offline, also against anchors.`,
  run: async ({ client, output }, given) => {
    const path = given.text('out');
    const since = given.number('since');
    const api = client();
    const { id: workspaceId } = await api.call('GET /v1/workspace');
    const file = await openAuditFile({ path, workspaceId, since });
    const first = file.seq;
    try {
      const query = { limit: AUDIT_LIMIT_MAX, after_seq: first };
      const pages = api.pages('GET /v1/audit_logs', { query, pagesMax: PAGES_MAX });
      for await (const { items } of pages) await file.append(items);
    } finally {
      await file.close();
    }
    const rows = file.seq - first;
    const entries = rows === 1 ? '1 entry' : `${rows} entries`;
    const sentence = `Wrote ${entries} to ${path}. To continue later, use --since ${file.seq}.`;
    output.part({ json: { rows, last_seq: file.seq }, sentence });
  },
};
