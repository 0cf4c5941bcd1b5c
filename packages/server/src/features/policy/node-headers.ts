// Reads the headers in which a node reports its ID, its name, its SDK, and how often it polls.
import { NodeId } from '@keyrail/protocol/validators.ts';
import {
  NODE_SEEN_WITHIN_MS,
  SDK_NAME_CHARS_MAX,
  SDK_VERSION_CHARS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import {
  NODE_HEADER,
  NODE_NAME_HEADER,
  NODE_POLL_HEADER,
} from '@keyrail/protocol/wire/node-header.ts';
import { SDK_HEADER } from '@keyrail/protocol/wire/sdk-header.ts';
import { invalid } from '../../base/errors.ts';

type ReadHeader = (name: string) => string | undefined;

/** The node that sent a request. An ID in the query takes precedence over the header. */
export const nodeIn = (header: ReadHeader, query: { node?: string | undefined }) => ({
  nodeId: query.node ?? nameIn(header, NODE_HEADER),
  name: nameIn(header, NODE_NAME_HEADER) ?? null,
  sdk: sdkNameIn(header(SDK_HEADER)),
});

/**
 * Throws if the header is malformed, because if an ID were ignored, revocations wouldn't wait for
 * its node.
 */
function nameIn(header: ReadHeader, path: string): string | undefined {
  const text = header(path);
  if (text === undefined) return undefined;
  const parsed = NodeId.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalid('header', [{ path, message: 'This is not a valid node name.' }]);
}

/**
 * Reads the maximum time until the node's next poll; null if the header isn't a number of
 * milliseconds. It only decides whether the node is shown as connected.
 */
export function pollMsIn(header: ReadHeader): number | null {
  const text = header(NODE_POLL_HEADER) ?? '';
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), NODE_SEEN_WITHIN_MS) : null;
}

export type SdkName = { name: string; version: string };

const NAME_AND_VERSION = new RegExp(
  `^([\\w@./-]{1,${SDK_NAME_CHARS_MAX}})/([\\w.+-]{1,${SDK_VERSION_CHARS_MAX}})$`,
);

/**
 * In `@keyrail/sdk/1.0.0`, the name is `@keyrail/sdk`. The SDK is only displayed, so a malformed
 * header is ignored.
 */
export function sdkNameIn(header: string | undefined): SdkName | null {
  const [, name, version] = NAME_AND_VERSION.exec(header ?? '') ?? [];
  return name && version ? { name, version } : null;
}
