// What a command is handed: a client for the chosen deployment, a place to print, the profiles.
import { type Client, createClient } from '@keyrail/client/client.ts';
import { type Output, openOutput, type Wishes } from './output.ts';
import { loadProfiles, type ProfileFile, profilePath, saveProfiles } from './profile.ts';
import { chooseTarget, type Flags, type Target, tokenOf } from './target.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

// Someone is watching: rather an error after a while than a long silence.
const TIMEOUT_MS = 20_000;
const TOTAL_MS = 25_000;

export type Context = {
  terminal: Terminal;
  output: Output;
  target: Target;
  profiles: ProfileFile;
  saveProfiles(file: ProfileFile): Promise<void>;
  /** With the chosen credential; throws when there is none. */
  client(): Client;
  /** Without a credential. */
  stranger(): Client;
  now(): Date;
};

export async function openContext(
  terminal: Terminal,
  wishes: Wishes,
  flags: Flags,
): Promise<Context> {
  const path = profilePath(terminal);
  const profiles = await loadProfiles(path);
  const target = chooseTarget(flags, terminal, profiles);
  const headers = { 'user-agent': `keyrail-cli/${VERSION}` };
  const stranger = () =>
    createClient({ url: target.url, headers, timeoutMs: TIMEOUT_MS, totalMs: TOTAL_MS });
  return {
    terminal,
    output: openOutput(terminal, wishes),
    target,
    profiles,
    saveProfiles: (file) => saveProfiles(path, file),
    client: () => stranger().withToken(tokenOf(target)),
    stranger,
    now: terminal.now,
  };
}
