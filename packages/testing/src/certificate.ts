// A self-signed certificate for test servers with TLS. It is created for each run, because a
// private key in the sources would be public.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

type Certificate = { certificate: string; key: string };

/**
 * Creates a certificate and its key in an existing directory. Returns the paths of both files, or
 * null if openssl is missing.
 */
export function createCertificate(directory: string, host: string): Certificate | null {
  const certificate = join(directory, 'certificate.pem');
  const key = join(directory, 'key.pem');
  const { status } = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${host}`,
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    `subjectAltName=DNS:${host},IP:127.0.0.1`,
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  if (status !== 0) return null;
  // Readable by everyone, because test servers run under their own accounts.
  chmodSync(directory, 0o755);
  chmodSync(key, 0o644);
  return { certificate, key };
}
