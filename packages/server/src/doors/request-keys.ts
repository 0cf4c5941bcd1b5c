// All SQL statements on kept_responses, which stores the responses to requests with a request key.
// One looks for an earlier response before the operation runs, and the other stores the response
// together with COMMIT.
import { REQUEST_KEPT_HOURS, REQUEST_RETRY_AFTER_SECONDS } from '@keyrail/protocol/wire/limits.ts';
import { HOUR_MS } from '../base/duration.ts';
import { ApiError } from '../base/errors.ts';
import type { Statement } from '../db/database.ts';
import { maybe, type Runner } from '../db/sql.ts';
import type { Env } from './reach.ts';

/** A request and its key, as two keyed hashes: see http/request-keys.ts. */
export type RequestKey = {
  env: Env;
  /** A hash of the workspace, the environment, the caller and the key. */
  keyHash: Buffer;
  /** A hash of the method, path, query and body, and of the projects the caller is limited to. */
  fingerprint: Buffer;
};

export type KeptResponse = { response: string; endsSecretKeys: readonly string[] };

type Found = { running: true } | ({ running: false; fingerprint: Buffer } & KeptResponse);

/**
 * Returns the response to the first request with this key, or null if this is the first. Throws if
 * the first request is still running, or if it was a different request.
 */
export async function findKept(
  runner: Runner,
  { keyHash, fingerprint }: RequestKey,
): Promise<KeptResponse | null> {
  const found = await maybe<Found>(runner, {
    text: `select running, fingerprint, response, ends_secret_keys
      from find_kept_response($1)`,
    values: [keyHash],
  });
  if (found === null) return null;
  if (found.running) throw inProgress();
  if (!found.fingerprint.equals(fingerprint)) throw new ApiError('idempotency_mismatch');
  return found;
}

export const keepResponse = (
  { env, keyHash, fingerprint }: RequestKey,
  { response, endsSecretKeys }: KeptResponse,
): Statement => ({
  text: 'select keep_response($1, $2, $3, $4, $5, $6) is null as kept',
  values: [env, keyHash, fingerprint, response, endsSecretKeys, REQUEST_KEPT_HOURS * HOUR_MS],
});

export const inProgress = (): ApiError =>
  new ApiError('idempotency_in_progress', undefined, {
    headers: { 'retry-after': String(REQUEST_RETRY_AFTER_SECONDS) },
  });
