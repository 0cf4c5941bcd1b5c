// Parses a node's request for the policy feed.
import type { IncomingHttpHeaders } from 'node:http';
import {
  NODE_SEEN_WITHIN_MS,
  POLICY_WAIT_MS_MAX,
  UNDERSTANDS_CHARS_MAX,
} from '@keyrail/protocol/wire/limits.ts';
import {
  NODE_HEADER,
  NODE_ID,
  NODE_NAME_HEADER,
  NODE_POLL_HEADER,
} from '@keyrail/protocol/wire/node-header.ts';

export type FeedQuestion = {
  /**
   * The path and query as sent, without the node's ID. Nodes with the same target share a response,
   * whose signature covers the target.
   */
  target: string;
  projectId: string;
  env: string | null;
  /** The node's ID; null if it sends none, and therefore cannot acknowledge a version. */
  node: string | null;
  /** The node's name, which stays the same across restarts; null if it has none. */
  name: string | null;
  /** The query parameter `understands`; null if the node sends none. */
  understands: string | null;
  /** The longest time until the node polls again, in milliseconds; null if unknown. */
  nextPollMs: number | null;
  /** The version that the node has applied; null if it requests a snapshot. */
  since: number | null;
  waitMs: number;
  /** Whether this is a page after the first. Every page has the same version as the first one. */
  isFurtherPage: boolean;
  /** Whether the node is stopping. Only the control plane can handle this request. */
  leaves: boolean;
  /**
   * Whether the node needs a response of its own, so that it can determine how old the response is.
   */
  hasNonce: boolean;
};

const FEED = /^\/v1\/policy\/(snapshot|delta)\?(.*)$/;
const TARGET_CHARS_MAX = 4096;
const WORDS = new RegExp(`^[a-z,]{1,${UNDERSTANDS_CHARS_MAX}}$`);
const single = [
  'project_id',
  'env',
  'node',
  'since',
  'wait_ms',
  'cursor',
  'leave',
  'understands',
] as const;

/**
 * Returns null for a conditional request, and for any other request that only the control plane can
 * handle.
 */
export function feedQuestionIn(url: string, headers: IncomingHttpHeaders): FeedQuestion | null {
  const [, endpoint, query = ''] = FEED.exec(url) ?? [];
  if (endpoint === undefined || url.length > TARGET_CHARS_MAX) return null;
  const asked = new URLSearchParams(query);
  if (headers['if-none-match'] !== undefined) return null;
  if (single.some((name) => asked.getAll(name).length > 1)) return null;
  const node = asked.get('node') ?? headers[NODE_HEADER] ?? null;
  const name = headers[NODE_NAME_HEADER] ?? null;
  const understands = asked.get('understands');
  if (!isNameOrNull(node) || !isNameOrNull(name)) return null;
  if (understands !== null && !WORDS.test(understands)) return null;
  const since = endpoint === 'delta' ? wholeIn(asked.get('since')) : null;
  const waitMs = wholeIn(asked.get('wait_ms') ?? '0');
  if (since === undefined || waitMs === undefined || waitMs > POLICY_WAIT_MS_MAX) return null;
  const named = query.split('&').filter((part) => !part.startsWith('node='));
  return {
    target: `/v1/policy/${endpoint}?${named.join('&')}`,
    projectId: asked.get('project_id') ?? '',
    env: asked.get('env'),
    node,
    name,
    understands,
    nextPollMs: waitMs > 0 ? waitMs : pollMsIn(headers[NODE_POLL_HEADER]),
    since,
    waitMs: endpoint === 'delta' ? waitMs : 0,
    isFurtherPage: asked.has('cursor'),
    leaves: asked.has('leave'),
    hasNonce: asked.has('nonce'),
  };
}

const isNameOrNull = (name: unknown): name is string | null =>
  name === null || (typeof name === 'string' && NODE_ID.test(name));

/**
 * Caps a long poll interval, and ignores a malformed one. The control plane does the same for nodes
 * that poll it directly.
 */
const pollMsIn = (header: unknown): number | null =>
  typeof header === 'string' && /^\d{1,9}$/.test(header)
    ? Math.min(Number(header), NODE_SEEN_WITHIN_MS)
    : null;

const wholeIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
