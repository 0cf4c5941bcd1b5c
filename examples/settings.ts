// What every example reads from its environment.
import type { KeyrailOptions } from '@keyrail/sdk';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
};

export const options: KeyrailOptions = {
  url: setting('KEYRAIL_URL'),
  secretKey: setting('KEYRAIL_SECRET_KEY'),
  projectId: setting('KEYRAIL_PROJECT_ID'),
};

export const port = Number(process.env.PORT ?? 3000);

/** Ends in order: no new requests, then what is still to be told, then nothing keeps it alive. */
export function onStop(stop: () => Promise<unknown>): void {
  process.once('SIGTERM', () => void stop());
}

/** Takes no new requests; resolves when those that run have ended. */
export const ended = (server: { close(done: () => void): unknown }): Promise<void> =>
  new Promise((done) => server.close(done));

export const announce = (at: number): void => console.log(`listening on http://127.0.0.1:${at}`);
