// Loads the audit log page by page and recomputes every hash. It runs in a worker, so that the UI
// stays responsive, and keeps only one page of rows in memory.
import { createCaller, KeyrailError } from '@keyrail/client';
import { WORKSPACE_HEADER } from '@keyrail/protocol/wire/workspace-header.ts';
import { sha256 as scriptSha256 } from '@noble/hashes/sha2.js';
import {
  type Break,
  checkRows,
  cutOf,
  type Head,
  hexOf,
  type Sha256,
  START,
} from '../parts/audit-log/chain.ts';
import type { ChainReport, ChainRequest } from '../parts/audit-log/chain-messages.ts';

const PAGE_ROWS = 200;
const PAGES_MAX = 1_000_000;

const encoder = new TextEncoder();

/** `subtle` is undefined on pages over plain HTTP. */
const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
const hashing = subtle ? 'webcrypto' : 'script';

const sha256: Sha256 = subtle
  ? async (text) => hexOf(new Uint8Array(await subtle.digest('SHA-256', encoder.encode(text))))
  : async (text) => hexOf(scriptSha256(encoder.encode(text)));

const report = (message: ChainReport): void => globalThis.postMessage(message);

globalThis.onmessage = ({ data: request }: MessageEvent<ChainRequest>) => {
  void check(request);
};

async function check({ url, token, workspaceId, remembered }: ChainRequest): Promise<void> {
  // The token is passed as a header, because with the token option the client would warn about
  // plain HTTP in the console. /system already shows that warning.
  const headers = { authorization: `Bearer ${token}`, [WORKSPACE_HEADER]: workspaceId };
  const client = createCaller({ url, headers });
  let head: Head = START;
  try {
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { data: rows } = await client.call('GET /v1/audit_logs', {
        query: { after_seq: head.seq, limit: PAGE_ROWS },
      });
      if (rows.length === 0) return finish(head, cutOf(head, remembered));
      const checked = await checkRows({ rows, head, workspaceId, sha256, remembered });
      head = checked.head;
      report({ kind: 'progress', checked: head.seq, hashing });
      if (checked.broken) return finish(head, checked.broken);
    }
  } catch (error) {
    const status = error instanceof KeyrailError ? error.status : null;
    const message = error instanceof Error ? error.message : String(error);
    report({ kind: 'failed', checked: head.seq, message, status });
  }
}

const finish = (head: Head, broken: Break | null): void =>
  report({ kind: 'done', head, broken, hashing });
