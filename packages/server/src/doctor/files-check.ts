// Checks that the data directory is writable, and that only its owner can read its secrets.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fault, fine, type Outcome, warning } from './finding.ts';

const SECRETS = ['master-key', 'bootstrap-token'];
const OTHERS_MAY = 0o077;

export function checkFiles(dataDir: string): Outcome[] {
  if (!canWriteIn(dataDir)) {
    return [
      fault(
        `The data directory ${dataDir} isn't writable.`,
        "Give the server's user write access, or set KEYRAIL_DATA_DIR.",
      ),
    ];
  }
  if (!existsSync(dataDir)) return [fine(`The first start creates ${dataDir}.`)];
  const open = SECRETS.map((name) => join(dataDir, name)).filter(isOpenToOthers);
  if (open.length > 0) {
    return open.map((path) =>
      fault(`Other users on this machine can read ${path}.`, `Run chmod 600 ${path}`),
    );
  }
  if (!isOpenToOthers(dataDir)) return [fine(`Only its owner can read ${dataDir}.`)];
  return [
    warning(
      `Other users on this machine can list ${dataDir}, which contains secrets and emails.`,
      `Run chmod 700 ${dataDir}`,
    ),
  ];
}

/** Whether files can be created in a directory, which may itself need to be created first. */
export function canWriteIn(directory: string): boolean {
  try {
    accessSync(nearestExisting(directory), constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

const isOpenToOthers = (path: string): boolean =>
  existsSync(path) && (statSync(path).mode & OTHERS_MAY) !== 0;
