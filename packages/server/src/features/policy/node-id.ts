// The name of a node in a header.
import { NodeId } from '@keyrail/protocol/validators.ts';
import { NODE_HEADER } from '@keyrail/protocol/wire/node-header.ts';
import { invalid } from '../../base/errors.ts';

/** Refuses a malformed name: revocations wait for the nodes that are named. */
export function nodeIdIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const parsed = NodeId.safeParse(header);
  if (parsed.success) return parsed.data;
  throw invalid('header', [{ path: NODE_HEADER, message: 'This is not the name of a node.' }]);
}
