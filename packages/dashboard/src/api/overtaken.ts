// The tabs of a browser share one session, and a session works in one workspace at a time. When
// another tab switches it, this tab is overtaken: the server would reject the requests for its own
// workspace. These requests wait until the user has chosen where to work, so that nothing fails,
// and nothing polls behind the dialog for no reason.
import { createObserved } from './observed.ts';

export const overtaken = createObserved(false);

/** Resolves when this tab works in its workspace again; rejects when the request is aborted. */
export async function untilNotOvertaken(signal: AbortSignal | undefined): Promise<void> {
  if (!overtaken.get()) return;
  await new Promise<void>((resolve, reject) => {
    const stop = overtaken.subscribe(() => {
      stop();
      resolve();
    });
    signal?.addEventListener('abort', () => {
      stop();
      reject(signal.reason);
    });
  });
}
