// Chooses the deployment and credential for a command. Flags override the environment, which
// overrides the profile. A profile's credential is sent only to that profile's URL.
import { withoutEnd } from '@keyrail/protocol/wire/trim.ts';
import { notLoggedIn, usage } from '../failures.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkProfileName, type Profile, type ProfileFile } from './profile-file.ts';

const URL_DEFAULT = 'http://127.0.0.1:4400';

export type Flags = { profile: string | undefined; url: string | undefined };

export type Target = {
  profileName: string;
  profile: Profile | undefined;
  url: string;
  token: string | null;
  /** Why there is no token, for commands that need one. */
  noTokenReason: string;
};

export function chooseTarget(flags: Flags, { env }: Terminal, file: ProfileFile): Target {
  const named = flags.profile ?? (env.KEYRAIL_PROFILE || undefined);
  const profileName = checkProfileName(named ?? file.current);
  const profile = Object.hasOwn(file.profiles, profileName)
    ? file.profiles[profileName]
    : undefined;
  // --profile asks for the profile's credential, even if there is a token in the environment.
  const isNamed = flags.profile !== undefined;
  const tokenInEnv = isNamed ? undefined : parseToken(env.KEYRAIL_TOKEN);
  const urlInEnv = isNamed && profile ? undefined : env.KEYRAIL_URL || undefined;
  const url = addressOf(flags.url ?? urlInEnv ?? profile?.url ?? URL_DEFAULT);
  const isSameAddress = profile !== undefined && addressOf(profile.url) === url;
  const token = tokenInEnv ?? (isSameAddress ? profile.token : null);
  const noTokenReason = profile
    ? `The profile "${profileName}" is logged in at ${profile.url}, not at ${url}.`
    : `Not logged in: no profile named "${profileName}".`;
  return { profileName, profile, url, token, noTokenReason };
}

function parseToken(value: string | undefined): string | undefined {
  const token = value?.trim() || undefined;
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw usage('KEYRAIL_TOKEN contains invalid characters.');
}

export function tokenOf({ token, noTokenReason, profileName }: Target): string {
  if (token === null) throw notLoggedIn(noTokenReason, profileName);
  return token;
}

/** Normalises a URL, so that a trailing slash does not matter. */
function addressOf(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usage('The URL must start with http:// or https://, as in https://keys.example.com');
  }
  const { origin, pathname, username, password } = new URL(text);
  if (username || password) throw usage('The URL must not contain a credential.');
  return `${origin}${withoutEnd(pathname, '/')}`;
}
