// Exporting the audit log to a file that can be verified without the server.
import { AUDIT_LIMIT_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { Command } from '../command.ts';
import { openAuditFile } from '../exports/audit-file.ts';

/** High enough for the whole of a long audit log. */
const PAGES_MAX = 1_000_000;

export const auditExport: Command = {
  name: 'export',
  summary: 'write the audit log to a file, and verify it on the way',
  options: [
    { flags: '--out <file>', about: 'file of JSON lines', required: true },
    { flags: '--since <seq>', about: 'continue after this row' },
  ],
  examples: [
    'keyrail audit export --out audit.jsonl',
    'keyrail audit export --out audit.jsonl --since 1200',
  ],
  notes: `A file that exists is only continued: --since names its last row. With a new
file, --since writes the rows after that one. After an interruption, run the
command again with --since; the rows in the file are checked again.
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
    const sentence = `Wrote ${rows} rows to ${path}. Continue with --since ${file.seq}.`;
    output.part({ json: { rows, last_seq: file.seq }, sentence });
  },
};
