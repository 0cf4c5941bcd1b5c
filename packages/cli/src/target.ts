// Which deployment a command speaks to, and as whom. A flag beats the environment, which beats the
// profile. A profile's credential is sent to that profile's address and nowhere else.
import { notLoggedIn, usage } from './faults.ts';
import { checkProfileName, type Profile, type ProfileFile } from './profile.ts';
import type { Terminal } from './terminal.ts';

export const URL_DEFAULT = 'http://127.0.0.1:4400';

export type Flags = { profile: string | undefined; url: string | undefined };

export type Target = {
  profileName: string;
  profile: Profile | undefined;
  url: string;
  token: string | null;
  /** Why there is no token, for whoever needs one. */
  lack: string;
};

export function chooseTarget(flags: Flags, { env }: Terminal, file: ProfileFile): Target {
  const named = flags.profile ?? (env.KEYRAIL_PROFILE || undefined);
  const profileName = checkProfileName(named ?? file.current);
  const profile = Object.hasOwn(file.profiles, profileName)
    ? file.profiles[profileName]
    : undefined;
  // Whoever names a profile means its credential, not one that lies about in the environment.
  const isNamed = flags.profile !== undefined;
  const given = isNamed ? undefined : tokenIn(env.KEYRAIL_TOKEN);
  const elsewhere = isNamed && profile ? undefined : env.KEYRAIL_URL || undefined;
  const url = addressOf(flags.url ?? elsewhere ?? profile?.url ?? URL_DEFAULT);
  const isHome = profile !== undefined && addressOf(profile.url) === url;
  const token = given ?? (isHome ? profile.token : null);
  const lack = profile
    ? `The profile "${profileName}" is logged in at ${profile.url}, not at ${url}.`
    : `Not logged in: there is no profile "${profileName}".`;
  return { profileName, profile, url, token, lack };
}

function tokenIn(value: string | undefined): string | undefined {
  const token = value?.trim() || undefined;
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw usage('KEYRAIL_TOKEN holds characters that no credential has.');
}

export function tokenOf({ token, lack, profileName }: Target): string {
  if (token === null) throw notLoggedIn(lack, profileName);
  return token;
}

/** One spelling for each address, so that a trailing slash makes no stranger of it. */
function addressOf(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usage('The address must begin with http:// or https://, as in https://keys.example.com');
  }
  const { origin, pathname, username, password } = new URL(text);
  if (username || password) throw usage('The address must not hold a credential.');
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
