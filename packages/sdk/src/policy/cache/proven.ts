// A cache of signed responses, for nodes that verify the feed. The policy file contains the pages
// of the last snapshot and the deltas after it; the journal contains further deltas. On startup,
// all of them are verified, and the policy is built from nothing else. Both files are encrypted
// like any other cache.
//
//   head length · head (JSON) · for each response: length · its headers (JSON) · length · its body
import { InvalidContent, readInteger, readRecord, readText } from '../../json.ts';
import type { FeedVerifier, Proof, Proofs } from '../proof/proof.ts';
import { turn } from '../snapshot.ts';
import { PAGE_KEYS_MAX } from '../source.ts';
import type { Policy } from '../state.ts';
import { PolicyTable } from '../table/table.ts';
import { type Delta, readFeed, type SnapshotPage } from '../wire.ts';
import type { Belonging, Kept } from './format.ts';
import { type Applied, journalHeadIn } from './journal.ts';

/** How one feed's signed responses are verified, and the query that all its requests start with. */
export type ProvenParts = { verifier: FeedVerifier; query: string };

type Reading = ProvenParts & { belonging: Belonging };

const LENGTH_BYTES = 4;
const RESPONSES_MAX = 100_000;
const TEXT = /^[\x20-\x7e]{1,8192}$/;
const BASE64 = /^[A-Za-z\d+/=]*$/;

/** Returns the contents of the policy file. */
export function provenPieces(
  { policy, confirmedAt }: Kept,
  { snapshot, deltas }: Proofs,
  belonging: Belonging,
): Uint8Array[] {
  const proofs = [...snapshot, ...deltas];
  const head = { belonging, version: policy.version, confirmedAt, responses: proofs.length };
  const pieces = [...framed(Buffer.from(JSON.stringify(head)))];
  for (const { body, ...headers } of proofs) {
    pieces.push(...framed(Buffer.from(JSON.stringify(headers))), ...framed(body));
  }
  return pieces;
}

function framed(bytes: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

/** Builds a policy from its signed responses. Throws if one is missing or cannot be verified. */
export async function restoreProven(plain: Buffer, reading: Reading): Promise<Kept> {
  let at = 0;
  const take = (): Buffer => {
    const start = at + LENGTH_BYTES;
    at = start + plain.readUInt32BE(at);
    if (at > plain.length) throw new Error('it is truncated');
    return plain.subarray(start, at);
  };
  const head = readRecord(JSON.parse(take().toString()), 'its header');
  if (JSON.stringify(head.belonging) !== JSON.stringify(reading.belonging)) {
    throw new Error('it belongs to another project or filter');
  }
  const count = readInteger(head.responses, 'responses', RESPONSES_MAX);
  const confirmedAt = readInteger(head.confirmedAt, 'confirmedAt');
  const policy = new PolicyInParts(reading);
  for (let read = 0; read < count; read += 1) {
    const headers = JSON.parse(take().toString());
    await policy.add(proofIn(headers, Buffer.from(take())));
  }
  if (at !== plain.length) throw new Error('it has extra data after its last response');
  return policy.whole(readInteger(head.version, 'version'), confirmedAt);
}

/** Returns the journal's line for a delta. */
export const provenLine = ({ body, ...headers }: Proof): string =>
  JSON.stringify({ ...headers, body: Buffer.from(body).toString('base64') });

/** Applies a journal of signed deltas. Returns and throws as `applyJournal` does. */
export async function applyProvenJournal(
  kept: Kept,
  plain: Buffer,
  reading: Reading,
): Promise<Applied | 'nothing new' | 'a gap'> {
  const [first = '', ...texts] = plain.toString('utf8').split('\n');
  const head = journalHeadIn(JSON.parse(first), reading.belonging);
  const { confirmedAt, fingerprint } = head;
  const { table } = kept.policy;
  if (head.version === kept.policy.version && table.fingerprint === fingerprint) {
    kept.confirmedAt = Math.max(kept.confirmedAt, confirmedAt);
  }
  if (head.version <= kept.policy.version) return 'nothing new';
  if (head.since > kept.policy.version) return 'a gap';
  const policy = new PolicyInParts(reading, kept);
  for (const text of texts) {
    const { body, ...headers } = readRecord(JSON.parse(text), 'a journal line');
    await policy.add(proofIn(headers, Buffer.from(readText(body, 'body', BASE64), 'base64')));
  }
  if (table.fingerprint !== fingerprint) {
    throw new Error('its journal does not match the policy file');
  }
  return { kept: await policy.whole(head.version, confirmedAt), since: head.since, texts };
}

function proofIn(value: unknown, body: Uint8Array): Proof {
  const fields = readRecord(value, 'a response');
  const textOf = (name: string): string => readText(fields[name], name, TEXT);
  return {
    kid: textOf('kid'),
    target: textOf('target'),
    etag: textOf('etag'),
    digest: textOf('digest'),
    input: textOf('input'),
    signature: textOf('signature'),
    body,
  };
}

/** Builds a policy from one signed response after another. */
class PolicyInParts {
  readonly #reading: Reading;
  readonly #proofs: Proofs = { snapshot: [], deltas: [] };
  #policy: Policy | null = null;
  #generatedAt = 0;
  /** The cursor that the next page must have; null after the last page. */
  #cursor: string | null = null;

  constructor(reading: Reading, kept?: Kept) {
    this.#reading = reading;
    if (!kept) return;
    this.#policy = kept.policy;
    this.#proofs = kept.policy.proofs ?? this.#proofs;
    this.#generatedAt = kept.savedAt;
  }

  async add(proof: Proof): Promise<void> {
    const cursor = this.#cursorIn(proof.target);
    const body: unknown = JSON.parse((await this.#reading.verifier.recheck(proof)).toString());
    const part = readFeed(body, this.#expected());
    if (part.kind === 'snapshot') this.#addPage(part, cursor, proof);
    else this.#addDelta(part, proof);
    this.#generatedAt = part.generatedAt;
  }

  /** Throws unless the responses end at this version. */
  async whole(version: number, confirmedAt: number): Promise<Kept> {
    const policy = this.#policy;
    if (!policy || this.#cursor !== null) throw new Error('a page of its snapshot is missing');
    if (policy.version !== version) throw new Error('its responses end at a different version');
    for (const _ of policy.table.settle()) await turn();
    return { policy, savedAt: this.#generatedAt, confirmedAt };
  }

  #addPage(page: SnapshotPage, cursor: string | null, proof: Proof): void {
    const { version, workspaceId, projectDeleted } = page;
    if (cursor !== this.#cursor) throw new InvalidContent('its pages are from different snapshots');
    const { env } = this.#reading.belonging;
    const proofs = this.#proofs;
    if (proofs.deltas.length > 0 || (cursor === null) !== (this.#policy === null)) {
      throw new InvalidContent('its pages are out of order');
    }
    const table = this.#policy?.table ?? new PolicyTable();
    if (this.#policy && this.#policy.version !== version) {
      throw new InvalidContent('a page is from a different policy version');
    }
    this.#policy = { table, version, workspaceId, env, projectDeleted, proofs };
    for (const entry of page.entries) table.set(entry);
    proofs.snapshot.push(proof);
    this.#cursor = page.cursor;
  }

  #addDelta({ since, version, changes, projectDeleted }: Delta, proof: Proof): void {
    const policy = this.#policy;
    if (!policy || this.#cursor !== null) throw new InvalidContent('a page is missing');
    // The policy file may already contain the first deltas of the journal.
    if (version <= policy.version) return;
    if (since !== policy.version) throw new InvalidContent('changes are missing');
    policy.table.apply(changes);
    policy.version = version;
    policy.projectDeleted = projectDeleted;
    this.#proofs.deltas.push(proof);
  }

  #expected() {
    const { projectId, env, tenantIds, include = [] } = this.#reading.belonging;
    const only = tenantIds.length > 0 ? new Set(tenantIds) : null;
    const workspaceId = this.#policy?.workspaceId ?? null;
    const expected = { projectId, env, tenantIds: only, include, workspaceId };
    return { ...expected, entriesMax: PAGE_KEYS_MAX };
  }

  /**
   * Returns the cursor that a response was requested with. Throws if the request was for a
   * different feed.
   */
  #cursorIn(target: string): string | null {
    const { query } = this.#reading;
    const isOfFeed = ['snapshot', 'delta'].some((endpoint) =>
      target.startsWith(`/v1/policy/${endpoint}?${query}&`),
    );
    if (!isOfFeed) throw new InvalidContent('a response is for another feed');
    return new URLSearchParams(target.slice(target.indexOf('?'))).get('cursor');
  }
}
