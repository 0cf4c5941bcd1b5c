// A backup's manifest: what the backup contains, when it was taken, and the digest of every file.
// It is written last, so a directory without a valid manifest isn't a backup.
//
// The file has two lines: the manifest, and its seal. The seal contains the SHA-256 of the first
// line and, if the backup is encrypted, a MAC of it. A missing MAC is rejected just like a wrong
// one.
import { createHash, timingSafeEqual } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditAnchor } from '@keyrail/protocol/objects/audit.ts';
import { macOf } from './encryption.ts';
import { BadBackup, isBackupId, MANIFEST } from './places.ts';
import type { WrittenFile } from './table-file.ts';

const FORMAT = 1;

export type TableRecord = WrittenFile & { name: string; columns: string[]; file: string };

/** The newest row in a workspace's audit log. */
export type ChainHead = { workspaceId: string; seq: number; hash: string };

export type Manifest = {
  format: number;
  id: string;
  /** When the snapshot was taken, according to the database's clock. */
  takenAt: string;
  keyrail: string;
  store: 'embedded' | 'postgres';
  /** The PostgreSQL version. */
  database: string;
  encryption: 'age' | null;
  /** A fingerprint of the master key, which identifies the key without revealing it. */
  masterKeyMark: string;
  migrations: { name: string; hash: string }[];
  tables: TableRecord[];
  chains: ChainHead[];
  /** Signed anchors for the same chain heads. Empty if the server had no key to sign them with. */
  anchors: AuditAnchor[];
};

export async function writeManifest(
  directory: string,
  manifest: Omit<Manifest, 'format'>,
  key: string | null,
): Promise<Manifest> {
  const written = { format: FORMAT, ...manifest };
  const text = JSON.stringify(written);
  const seal = { sha256: sha256Of(text), mac: key === null ? null : macOf(text, key) };
  const file = await open(join(directory, MANIFEST), 'wx', 0o600);
  try {
    await file.writeFile(`${text}\n${JSON.stringify(seal)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return written;
}

/** Reads a manifest and checks its seal. The files are not checked. */
export async function readManifest(directory: string, key: string | null): Promise<Manifest> {
  const path = join(directory, MANIFEST);
  const whole = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new BadBackup(
      `${directory} isn't a backup: it has no ${MANIFEST}. Choose another directory.`,
    );
  });
  const damaged = (what: string) =>
    new BadBackup(`${path} is damaged: ${what}. Nothing was changed. Choose another backup.`);
  const [text = '', sealText = '', ...rest] = whole.split('\n');
  const seal = fieldsOf(sealText);
  if (rest.length !== 1 || rest[0] !== '') throw damaged('it must have exactly two lines');
  if (seal.sha256 !== sha256Of(text)) throw damaged('it does not match its hash');
  if (sealText !== JSON.stringify({ sha256: seal.sha256, mac: seal.mac })) {
    throw damaged('its seal has unexpected fields');
  }
  const manifest = manifestIn(text);
  if (manifest === null) throw damaged(`it does not use format ${FORMAT}`);
  refuseUnauthentic(manifest, { text, mac: seal.mac, path }, key);
  return manifest;
}

type Sealed = { text: string; mac: unknown; path: string };

function refuseUnauthentic(manifest: Manifest, sealed: Sealed, key: string | null): void {
  const { text, mac, path } = sealed;
  if (key === null) {
    if (manifest.encryption === null && mac === null) return;
    throw new BadBackup(`${path} is encrypted. Set KEYRAIL_BACKUP_KEY to its key.`);
  }
  if (typeof mac === 'string' && manifest.encryption === 'age' && isEqual(mac, macOf(text, key))) {
    return;
  }
  throw new BadBackup(
    `${path} was not encrypted with the key in KEYRAIL_BACKUP_KEY. Set this backup's key. If the ` +
      "backup isn't encrypted and you trust where it came from, unset KEYRAIL_BACKUP_KEY.",
  );
}

/** The seal has been checked, so a manifest in this format is known to have all of its fields. */
function manifestIn(text: string): Manifest | null {
  const fields = fieldsOf(text);
  return fields.format === FORMAT && isBackupId(String(fields.id)) ? (fields as Manifest) : null;
}

function fieldsOf(text: string): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
