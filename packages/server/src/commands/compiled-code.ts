// Caches the server's compiled code, for faster starts.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { basename, join } from 'node:path';

/**
 * Matches the names of folders for built programs, and of folders that Node.js created for releases
 * without a built program.
 */
const OURS = /^(program-[0-9a-f]{16}|v\d+\.\d+\.\d+-[\w-]+)$/;

/**
 * Later starts load compiled code instead of compiling every source. The cache is in the data
 * directory, which only the server's user can write to, because the cached code is executed. Each
 * build of the program has its own folder there. The folders of other builds are never read again,
 * so they are removed.
 */
export function cacheCompiledCode(dataDir: string, program: string): void {
  if (!existsSync(dataDir)) return;
  const cache = join(dataDir, 'compiled');
  const own = basename(program);
  enableCompileCache(join(cache, own));
  try {
    const others = readdirSync(cache).filter((name) => name !== own && OURS.test(name));
    for (const name of others) rmSync(join(cache, name), { recursive: true, force: true });
  } catch {
    // A leftover folder only takes up disk space, so failing to remove it must not prevent startup.
  }
}
