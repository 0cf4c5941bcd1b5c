// The secret scanner's public keys, from a file or URL. They are reloaded after an hour, and when a
// report uses an unknown key identifier. If reloading fails, the old keys stay in use.
import type { KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { monotonicMs } from '../../base/clock.ts';
import { sharedInFlight } from '../../base/coalesce.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/duration.ts';
import { unavailable } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { p256KeyOf } from './signature.ts';

export type ScannerKeysSource = { kind: 'file'; path: string } | { kind: 'url'; url: string };

export type ScannerKeys = {
  /** False if no public keys are configured, so that no report can be verified. */
  isConfigured: boolean;
  /**
   * Null if no published key has this identifier. Throws a 503 if the list currently can't be
   * loaded.
   */
  find(identifier: string): Promise<KeyObject | null>;
};

type ScannerKeyParts = {
  log: Log;
  fetch?: typeof fetch;
  nowMs?(): number;
};

const KEPT_MS = HOUR_MS;
/** Unknown identifiers can trigger at most this many extra reads within EXTRA_READS_WITHIN_MS. */
const EXTRA_READS_MAX = 3;
const EXTRA_READS_WITHIN_MS = { file: 3 * SECOND_MS, url: 3 * MINUTE_MS };
const AFTER_FAULT_MS = 5 * SECOND_MS;
const READ_WAIT_MS = 3 * SECOND_MS;
const LIST_BYTES_MAX = 1_048_576;
const TOO_LARGE = `the public key list is larger than ${LIST_BYTES_MAX} bytes`;
const KEYS_MAX = 1000;

export const noScannerKeys: ScannerKeys = {
  isConfigured: false,
  find: () => Promise.resolve(null),
};

type Kept = { keys: Map<string, KeyObject>; readAtMs: number };

export function openScannerKeys(source: ScannerKeysSource, parts: ScannerKeyParts): ScannerKeys {
  const { log, fetch: fetchUrl = fetch, nowMs = monotonicMs } = parts;
  let kept: Kept | null = null;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let fault: unknown = null;
  let extraReads: number[] = [];

  async function readOnce(): Promise<void> {
    triedAtMs = nowMs();
    try {
      const text =
        source.kind === 'file' ? await fromFile(source) : await fromUrl(source, fetchUrl);
      kept = { keys: keysIn(text, log), readAtMs: triedAtMs };
      fault = null;
    } catch (error) {
      fault = error;
      log.warn({ error }, "failed to load the secret scanner's public keys (KEYRAIL_SCANNER_KEYS)");
    }
  }

  const reading = sharedInFlight(readOnce);

  async function readIfStale(): Promise<void> {
    if (kept && nowMs() - kept.readAtMs < KEPT_MS) return;
    if (reading.isRunning() || fault === null || nowMs() - triedAtMs >= AFTER_FAULT_MS) {
      await reading.run();
    }
  }

  async function readOnceMore(): Promise<void> {
    if (reading.isRunning()) return reading.run();
    const since = nowMs() - EXTRA_READS_WITHIN_MS[source.kind];
    extraReads = extraReads.filter((atMs) => atMs > since);
    if (extraReads.length >= EXTRA_READS_MAX) return;
    extraReads.push(nowMs());
    await reading.run();
  }

  // Starts loading now, so that a wrong path is logged at startup rather than when the first report
  // arrives.
  if (source.kind === 'file') void reading.run();

  return {
    isConfigured: true,
    async find(identifier) {
      const isFirst = kept === null;
      await readIfStale();
      if (!isFirst && !kept?.keys.has(identifier)) await readOnceMore();
      const key = kept?.keys.get(identifier);
      if (key) return key;
      // The list in memory may be too old to contain the key, so the scanner should retry.
      if (!kept || fault !== null) throw unavailable(fault);
      return null;
    },
  };
}

async function fromFile({ path }: { path: string }): Promise<string> {
  const { size } = await stat(path);
  if (size > LIST_BYTES_MAX) throw new Error(TOO_LARGE);
  return readFile(path, 'utf8');
}

async function fromUrl({ url }: { url: string }, fetchUrl: typeof fetch): Promise<string> {
  const response = await fetchUrl(url, {
    headers: { accept: 'application/json', 'user-agent': 'keyrail' },
    redirect: 'error',
    signal: AbortSignal.timeout(READ_WAIT_MS),
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`the public key URL responded with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > LIST_BYTES_MAX) throw new Error(TOO_LARGE);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Includes keys that are no longer current, because they can still verify signatures. Skips keys of
 * other types.
 */
function keysIn(text: string, log: Log): Map<string, KeyObject> {
  const list: unknown = Reflect.get(Object(JSON.parse(text)), 'public_keys');
  if (!Array.isArray(list) || list.length > KEYS_MAX)
    throw new Error('the public key list is not valid');
  const keys = new Map<string, KeyObject>();
  for (const entry of list) {
    const { key_identifier: identifier, key: pem } = Object(entry);
    const key = typeof pem === 'string' ? p256KeyOf(pem) : null;
    if (typeof identifier === 'string' && key) keys.set(identifier, key);
    else log.warn({ identifier: String(identifier) }, 'ignored a public key that is not P-256');
  }
  return keys;
}
