// Installed packages, copied as npm would install them elsewhere.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './documents.ts';

/** An entry in the lock file, with its path from the root. */
type InstalledPackage = { path: string; link?: boolean; resolved?: string };

/** Packages for other machines are in the lock file but not installed, so they are left out. */
export async function copyInstalled(
  packages: readonly InstalledPackage[],
  to: string,
): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const { path, resolved = '' } of packages.filter(({ link }) => link)) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await symlink(join('../..', resolved), join(to, path));
  }
  const own = packages
    .filter(({ path, link }) => !link && existsSync(join(root, path)))
    .map(({ path }) => path);
  const outermost = own.filter((path) => !own.some((one) => path.startsWith(`${one}/`)));
  // cp copies twenty thousand files in a tenth of the time Node.js needs.
  execFileSync('cp', ['-a', '--parents', ...outermost, to], { cwd: root });
}
