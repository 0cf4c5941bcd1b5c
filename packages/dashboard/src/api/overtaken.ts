// All tabs of a browser share one session, which is in one workspace at a time. When another tab
// switches workspaces, this tab has been overtaken, and the server would reject its requests. Until
// the user chooses a workspace, this tab stops polling, and its requests wait instead of failing.
import { createObserved } from './observed.ts';

export const overtaken = createObserved(false);

/** Resolves when the session is back in this tab's workspace. Rejects if the request is aborted. */
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
