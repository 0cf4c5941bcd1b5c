// Lists the audit log, which records every change, and verifies that it hasn't been edited.
import { auditEndpoints } from '@keyrail/protocol/endpoints/audit.ts';
import { isTestPrincipal } from '../../access/principal.ts';
import { pageOf } from '../../http/page.ts';
import { serve } from '../../http/route.ts';
import { loadAnchor } from './anchors.rows.ts';
import { presentAnchor, presentAuditRow, presentChain } from './present.ts';
import { readAuditRows } from './read-audit-rows.ts';
import { chainIn } from './rows.ts';
import { verifyChain } from './verify-chain.ts';

export const auditRoutes = serve(auditEndpoints, {
  'GET /v1/audit_logs': {
    boundary: 'rows',
    door: 'read',
    run: ({ read, query, after, principal }) => {
      const isTest = isTestPrincipal(principal);
      const lastSeq = after === null ? null : Number(after[0]);
      return pageOf(query.limit, {
        list: (limit) => readAuditRows(read, query, { lastSeq, limit }),
        present: (row) => presentAuditRow(row, isTest),
        next: (last) => [String(last.seq)],
      });
    },
  },
  'GET /v1/audit_logs/chain': {
    boundary: 'rows',
    door: 'read',
    patience: 'stepped',
    run: async ({ read }) => presentChain(await verifyChain(chainIn(read))),
  },
  'GET /v1/audit_logs/anchor': {
    boundary: 'shared',
    door: 'read',
    run: async ({ read }) => presentAnchor(await loadAnchor(read)),
  },
});
