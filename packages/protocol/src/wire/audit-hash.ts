// Computes an audit row's hash. Not in audit-chain.ts, because browsers have no node:crypto.
import { createHash } from 'node:crypto';
import { type ChainedFields, hashedText } from './audit-chain.ts';

/** Computes the hash of a row, which must have the form in which the API returns it. */
export const hashOfRow = (workspaceId: string, row: ChainedFields): string =>
  createHash('sha256').update(hashedText(row, workspaceId)).digest('hex');
