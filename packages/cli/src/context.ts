// Everything a command needs: a client for the chosen deployment, the output, and the profiles.
import { type Client, createClient } from '@keyrail/client';
import { type Output, type OutputOptions, openOutput } from './output/output.ts';
import {
  loadProfiles,
  type ProfileFile,
  profilePath,
  saveProfiles,
} from './profiles/profile-file.ts';
import { chooseTarget, type Flags, type Target, tokenOf } from './profiles/target.ts';
import type { Terminal } from './terminal/terminal.ts';
import { VERSION } from './version.ts';

// Shorter than the client's default time limits, because a user is waiting.
const TIMEOUT_MS = 20_000;
const TOTAL_MS = 25_000;

export type Context = {
  terminal: Terminal;
  output: Output;
  target: Target;
  profiles: ProfileFile;
  saveProfiles(file: ProfileFile): Promise<void>;
  /** Returns a client with the chosen credential. Throws if there is none. */
  client(): Client;
  /** Returns a client without a credential. */
  anonymous(): Client;
  now(): Date;
};

export async function openContext(
  terminal: Terminal,
  options: OutputOptions,
  flags: Flags,
): Promise<Context> {
  const path = profilePath(terminal);
  const profiles = await loadProfiles(path);
  const target = chooseTarget(flags, terminal, profiles);
  const headers = { 'user-agent': `keyrail-cli/${VERSION}` };
  const anonymous = () =>
    createClient({ url: target.url, headers, timeoutMs: TIMEOUT_MS, totalMs: TOTAL_MS });
  return {
    terminal,
    output: openOutput(terminal, options),
    target,
    profiles,
    saveProfiles: (file) => saveProfiles(path, file),
    client: () => anonymous().withToken(tokenOf(target)),
    anonymous,
    now: terminal.now,
  };
}
