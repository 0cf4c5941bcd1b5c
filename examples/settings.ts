// The settings that every example reads from its environment.
import type { KeyrailOptions } from '@keyrail/sdk';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
};

export const options = {
  url: setting('KEYRAIL_URL'),
  secretKey: setting('KEYRAIL_SECRET_KEY'),
  projectId: setting('KEYRAIL_PROJECT_ID'),
} satisfies KeyrailOptions;

export const port = Number(process.env.PORT ?? 3000);

/** On SIGTERM, the example stops accepting requests, sends the remaining telemetry, and exits. */
export function onStop(stop: () => Promise<unknown>): void {
  process.once('SIGTERM', () => void stop());
}

/** Stops accepting requests; resolves once all running requests have finished. */
export const ended = (server: { close(done: () => void): unknown }): Promise<void> =>
  new Promise((done) => server.close(done));

export const announce = (at: number): void => console.log(`listening on http://127.0.0.1:${at}`);
