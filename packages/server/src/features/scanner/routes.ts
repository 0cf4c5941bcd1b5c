// Reports of leaked credentials. The signature over the raw bytes is verified first. The report is
// then processed in parts, with one transaction per token, so that a failure doesn't undo the rest
// and an interrupted report can be sent again.
import { setImmediate } from 'node:timers/promises';
import { scannerEndpoints } from '@keyrail/protocol/endpoints/scanner.ts';
import { ScannerReport, type ScannerVerdict } from '@keyrail/protocol/objects/scanner.ts';
import { isImportable } from '@keyrail/protocol/wire/imported-key.ts';
import { lookupHash, parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { monotonicMs } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/duration.ts';
import { ApiError, unavailable } from '../../base/errors.ts';
import { allEnvs } from '../../doors/reach.ts';
import { parsePart, readJson } from '../../http/input.ts';
import { type Doors, type ServedRoute, serve } from '../../http/route.ts';
import { quarantineKey } from '../keys/quarantine-key.ts';
import { quarantineSecretKey } from '../secret-keys/quarantine-secret-key.ts';
import { endLeakedSession } from '../sessions/rows.ts';
import { findLeaks, type LeakFact } from './gate.rows.ts';
import { presentVerdict } from './present.ts';
import type { ScannerKeys } from './public-keys.ts';
import { isSignedBy } from './signature.ts';

const REASON = 'Found in a public place by a secret scanner.';
/**
 * The time limit for a report, so that the response is sent before the scanner times out. If the
 * report is unfinished by then, the scanner sends it again.
 */
const WORK_MS_MAX = 9 * SECOND_MS;
/**
 * The maximum number of entries in a part. Other requests can run between two parts. The largest
 * possible report has about 45,000 entries.
 */
const PART_ENTRIES_MAX = 2000;

export const scannerRoutes = ({ scannerKeys }: { scannerKeys: ScannerKeys }): ServedRoute[] =>
  serve(scannerEndpoints, {
    'POST /v1/webhooks/scanner/secret_scanning': {
      boundary: 'none',
      door: 'gate',
      storage: 'reserve',
      patience: 'stepped',
      refuseUnread() {
        // No Retry-After, because a retry can't succeed until the setting is changed and the server
        // restarted.
        if (!scannerKeys.isConfigured) throw new ApiError('unavailable', NOT_CONFIGURED);
      },
      run: async ({ header, body, noteCaller, ...doors }) => {
        const endsAtMs = monotonicMs() + WORK_MS_MAX;
        const signer = await signerOf(scannerKeys, header, body);
        noteCaller('scanner', signer);
        const report = parsePart('body', ScannerReport, readJson(Buffer.from(body)));
        return endReported(doors, { report, signer, endsAtMs });
      },
    },
  });

type SignedReport = { report: ScannerReport; signer: string; endsAtMs: number };

/**
 * Throws a 503 if a credential couldn't be quarantined or revoked, so that the scanner sends the
 * report again.
 */
async function endReported(
  doors: Doors['gate'],
  { report, signer, endsAtMs }: SignedReport,
): Promise<ScannerVerdict[]> {
  const verdicts: ScannerVerdict[] = [];
  const faults: unknown[] = [];
  for (let from = 0; from < report.length; from += PART_ENTRIES_MAX) {
    if (from > 0) await setImmediate();
    const part = report.slice(from, from + PART_ENTRIES_MAX);
    refuseLate(endsAtMs);
    const ours = await findLeaks(doors.gate, hashesOf(part));
    faults.push(...(await endLeaks(doors, { report: part, ours, signer, endsAtMs })));
    for (const each of part) verdicts.push(presentVerdict(each, (hash) => ours.has(hash)));
  }
  if (faults.length > 0)
    throw unavailable(new AggregateError(faults, 'failed to quarantine some leaked keys'));
  return verdicts;
}

function refuseLate(endsAtMs: number): void {
  if (monotonicMs() >= endsAtMs) throw unavailable(new Error('the scanner report took too long'));
}

const NOT_CONFIGURED =
  'Secret scanning is not configured on this server: KEYRAIL_SCANNER_KEYS is not set.';

/** Prefixes of the signature headers. Some scanners use their own name as the prefix. */
const SENDERS = ['scanner', 'github'];

/**
 * Returns the identifier of the key that signed the bytes. Throws a 401 if the signature is missing
 * or wrong.
 */
async function signerOf(
  keys: ScannerKeys,
  header: (name: string) => string | undefined,
  bytes: Uint8Array,
): Promise<string> {
  for (const sender of SENDERS) {
    const identifier = header(`${sender}-public-key-identifier`);
    const signature = header(`${sender}-public-key-signature`);
    if (!identifier || !signature) continue;
    const key = await keys.find(identifier);
    if (key && isSignedBy(key, bytes, signature)) return identifier;
    break;
  }
  throw new ApiError('invalid_signature');
}

/** Skips tokens that look like neither a credential nor an imported key. */
const hashesOf = (report: ScannerReport): string[] => [
  ...new Set(
    report
      .filter(({ token }) => parseCredential(token) || isImportable(token))
      .map(({ token }) => lookupHash(token)),
  ),
];

type Leaks = SignedReport & { ours: Map<string, LeakFact[]> };

/**
 * Quarantines the leaked keys and revokes the leaked sessions. Returns the errors for those that
 * failed.
 */
async function endLeaks(doors: Doors['gate'], leaks: Leaks): Promise<unknown[]> {
  const { report, ours, signer, endsAtMs } = leaks;
  const urls = new Map(report.map(({ token, url }) => [lookupHash(token), foundAtOf(url)]));
  const faults: unknown[] = [];
  for (const leak of [...ours.values()].flat()) {
    if (leak.isPastHarm) continue;
    refuseLate(endsAtMs);
    const ending = { leak, signer, foundAt: urls.get(leak.hash) ?? null };
    await endLeak(doors, ending).catch((error: unknown) => faults.push(error));
  }
  return faults;
}

async function endLeak(
  { people, writeIn }: Doors['gate'],
  { leak, signer, foundAt }: { leak: LeakFact; signer: string; foundAt: string | null },
): Promise<unknown> {
  const { id } = leak;
  if (leak.kind === 'session') return people((tx) => endLeakedSession(tx, id));
  const write = writeIn({
    workspaceId: leak.workspaceId,
    envs: allEnvs,
    actor: { type: 'scanner', id: signer },
    authority: 'admin',
  });
  const found = { id, reason: REASON, foundAt };
  return leak.kind === 'api_key'
    ? write((tx) => quarantineKey(tx, found))
    : write((tx) => quarantineSecretKey(tx, found));
}

const URL_CHARS_MAX = 2048;

/**
 * The URL is shown in an email, so only plain http and https URLs are kept. It is never fetched.
 */
const foundAtOf = (url: string | null | undefined): string | null =>
  url && url.length <= URL_CHARS_MAX && /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url)
    ? url
    : null;
