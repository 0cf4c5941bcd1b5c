// The hash of an audit row. Kept out of audit-chain.ts, because browsers have no node:crypto.
import { createHash } from 'node:crypto';
import { type ChainedFields, hashedText } from './audit-chain.ts';

/** The hash of a row as the API returns it. */
export const hashOfRow = (workspaceId: string, row: ChainedFields): string =>
  createHash('sha256').update(hashedText(row, workspaceId)).digest('hex');
