// Loads the application's chunks. A chunk can be missing for two reasons: either the server is
// down, and the page waits for it, or a newer build has replaced the chunk, and the page reloads
// once.
import { askServer, onServerReturn, watchSilence } from './api/connection.ts';
import { nowMs } from './clock.ts';

const RELOADED = 'keyrail.reloaded';
const RELOADS_APART_MS = 60_000;

export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  const stopWatching = watchSilence();
  try {
    return await load();
  } catch (error) {
    if (await askServer()) return reload(error);
    await serverReturn();
    return load().catch(reload);
  } finally {
    stopWatching();
  }
}

const serverReturn = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = onServerReturn(() => {
      stop();
      resolve();
    });
  });

/**
 * Reloads the page, unless it has just been reloaded. In that case, the current build doesn't have
 * the chunk either, and the promise rejects.
 */
async function reload(error: unknown): Promise<never> {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (nowMs() - last < RELOADS_APART_MS) throw error;
  sessionStorage.setItem(RELOADED, String(nowMs()));
  location.reload();
  return new Promise(() => {});
}
