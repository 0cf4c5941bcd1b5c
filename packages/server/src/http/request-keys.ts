// Reads the request key from the Idempotency-Key header, and identifies the request by two keyed
// hashes. With plain hashes, anyone with a copy of the database could guess short bodies.
import { createHmac } from 'node:crypto';
import { REQUEST_KEY_CHARS_MAX } from '@keyrail/protocol/wire/limits.ts';
import { isRequestKey, REQUEST_KEY_HEADER } from '@keyrail/protocol/wire/request-keys.ts';
import { invalid } from '../base/errors.ts';
import type { Reach } from '../doors/reach.ts';
import type { RequestKey } from '../doors/request-keys.ts';

export type HashRequest = (...parts: readonly (string | Buffer)[]) => Buffer;

/** Prefixes each part with its length, so that different parts never produce the same bytes. */
export const createRequestHash =
  (key: Buffer): HashRequest =>
  (...parts) => {
    const hash = createHmac('sha256', key);
    for (const part of parts) hash.update(`${Buffer.byteLength(part)} `).update(part);
    return hash.digest();
  };

type Asked = {
  hashRequest: HashRequest;
  header(name: string): string | undefined;
  params: Record<string, string>;
  query: unknown;
  body: Buffer | undefined;
};

const EMPTY = Buffer.alloc(0);

/** Null if the request has no key. Throws if the key is not valid. */
export function requestKeyOf(
  line: string,
  reach: Reach | null,
  { hashRequest, header, params, query, body = EMPTY }: Asked,
): RequestKey | null {
  const key = header(REQUEST_KEY_HEADER);
  if (key === undefined || reach === null) return null;
  if (!isRequestKey(key)) throw invalid('header', [FAULT]);
  const { workspaceId, actor, projectIds = [] } = reach;
  const env = reach.envs.includes('live') ? 'live' : 'test';
  return {
    env,
    keyHash: hashRequest(workspaceId, env, actor.type, actor.id ?? '', key),
    // A narrowed key does not get the earlier response, which may be about a project that is now
    // out of its reach.
    fingerprint: hashRequest(line, sortedText(params), sortedText(query), body, ...projectIds),
  };
}

const FAULT = {
  path: REQUEST_KEY_HEADER,
  message: `Must be 1 to ${REQUEST_KEY_CHARS_MAX} visible ASCII characters.`,
};

const sortedText = (fields: unknown): string =>
  JSON.stringify(
    Object.entries(typeof fields === 'object' && fields !== null ? fields : {}).toSorted(
      ([one], [other]) => (one < other ? -1 : 1),
    ),
  );
