// Every setting with its name, meaning, default and parser. `keyrail-edge help` prints this list.
import { readFileSync } from 'node:fs';
import { isAddressBlock } from '@keyrail/protocol/wire/address-block.ts';
import type { KeyrailOptions } from '@keyrail/sdk';
import { VERIFIED_KEY } from './forwarded-call.ts';
import type { Defaults } from './requirements.ts';
import { UNIX } from './trusted-proxies.ts';

/** A port of an address, or a Unix socket. */
export type Place = { host: string; port: number } | { path: string };

export type Settings = {
  node: KeyrailOptions;
  defaults: Defaults;
  places: readonly Place[];
  /** Address blocks, and `unix`. */
  trustedProxies: readonly string[];
  /** The control plane, the project and the address of the relay; null if it is off. */
  relay: { url: string; projectId: string; place: Place } | null;
};

type Setting = { name: string; meaning: string; fallback: string | null; isRequired?: true };

const settings = [
  {
    name: 'KEYRAIL_URL',
    meaning: 'Root URL of the control plane. Several, separated by commas: relays, in order.',
    fallback: null,
    isRequired: true,
  },
  { name: 'KEYRAIL_SECRET_KEY', meaning: 'Secret key, krsk_….', fallback: null, isRequired: true },
  {
    name: 'KEYRAIL_PROJECT_ID',
    meaning: 'Project whose keys are verified.',
    fallback: null,
    isRequired: true,
  },
  {
    name: 'KEYRAIL_ENV',
    meaning: 'Load only keys of live or test. Unset: all that the secret key may read.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_LISTEN',
    meaning: 'Comma-separated places: host:port, or unix: and an absolute path.',
    fallback: '127.0.0.1:4410',
  },
  {
    name: 'KEYRAIL_EDGE_TRUSTED_PROXIES',
    meaning: 'Comma-separated proxies that may forward requests: IP addresses, ranges, unix.',
    fallback: UNIX,
  },
  {
    name: 'KEYRAIL_EDGE_CACHE_DIR',
    meaning: 'Directory for the policy, so that a start needs no control plane. Unset: none.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_FEED_KEYS',
    meaning: 'Verify the signed policy feed: jwks, or the path of a file with pinned keys.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_KEY_HEADERS',
    meaning: 'Comma-separated headers that may hold the key, in order.',
    fallback: 'authorization,x-api-key',
  },
  {
    name: 'KEYRAIL_EDGE_MAX_STALE_MS',
    meaning: 'Deny every key by policy that was last confirmed this long ago. Unset: never.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_ON_NO_POLICY',
    meaning: 'Without any policy: deny, or allow every well-formed key unverified.',
    fallback: 'deny',
  },
  {
    name: 'KEYRAIL_EDGE_ON_LIMITS_UNREACHABLE',
    meaning: 'While the rate limits cannot be reached: allow or deny.',
    fallback: 'allow',
  },
  {
    name: 'KEYRAIL_EDGE_LEASES',
    meaning: 'Decide most limited requests of busy keys here, with leased units: on or off.',
    fallback: 'off',
  },
  {
    name: 'KEYRAIL_EDGE_RELAY',
    meaning: 'host:port where nodes of the workspace poll instead of the control plane, or off.',
    fallback: 'off',
  },
  {
    name: 'KEYRAIL_EDGE_NODE_NAME',
    meaning: 'Name of this node in the status of a revocation. Unset: the host name.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_TELEMETRY',
    meaning: 'Report requests to the control plane: on or off.',
    fallback: 'on',
  },
] as const satisfies readonly Setting[];

type Name = (typeof settings)[number]['name'];

/** A setting that cannot be used. The message names it and never quotes a secret. */
export class SettingFault extends Error {}

export const settingsText = (): string =>
  settings
    .map(
      ({ name, meaning, fallback }) =>
        `  ${name}\n      ${meaning} Default: ${fallback ?? 'none'}.\n`,
    )
    .join('');

export const settingRows = settings.map(({ name, meaning, fallback }) => ({
  name,
  meaning,
  fallback,
}));

export function settingsIn(env: Readonly<Record<string, string | undefined>>): Settings {
  const text = (name: Name): string | undefined => {
    const { fallback = null, ...setting } = settings.find((one) => one.name === name) ?? {};
    const value = env[name]?.trim() || fallback || undefined;
    if (value === undefined && 'isRequired' in setting) {
      throw new SettingFault(`${name} must be set. keyrail-edge help lists all settings.`);
    }
    return value;
  };
  const oneOf = <T extends string>(name: Name, ...choices: readonly T[]): T | undefined => {
    const value = text(name);
    const found = choices.find((choice) => choice === value);
    if (value === undefined || found !== undefined) return found;
    throw new SettingFault(`${name} must be ${choices.join(' or ')}.`);
  };
  const urls = listIn(text('KEYRAIL_URL'));
  const projectId = text('KEYRAIL_PROJECT_ID') ?? '';
  const relayPlace = relayPlaceIn(text('KEYRAIL_EDGE_RELAY') ?? 'off');
  return {
    node: {
      url: urls,
      secretKey: text('KEYRAIL_SECRET_KEY') ?? '',
      projectId,
      env: oneOf('KEYRAIL_ENV', 'live', 'test'),
      include: ['externalId'],
      nodeName: text('KEYRAIL_EDGE_NODE_NAME'),
      cacheDir: text('KEYRAIL_EDGE_CACHE_DIR'),
      feedKeys: feedKeysIn(text('KEYRAIL_EDGE_FEED_KEYS')),
      maxStaleMs: wholeIn('KEYRAIL_EDGE_MAX_STALE_MS', text('KEYRAIL_EDGE_MAX_STALE_MS')),
      keyHeaders: [...listIn(text('KEYRAIL_EDGE_KEY_HEADERS')), VERIFIED_KEY],
      rateLimit: { leases: oneOf('KEYRAIL_EDGE_LEASES', 'on', 'off') === 'on' },
      telemetry: oneOf('KEYRAIL_EDGE_TELEMETRY', 'on', 'off') === 'on',
    },
    defaults: {
      onNoPolicy: oneOf('KEYRAIL_EDGE_ON_NO_POLICY', 'deny', 'allow') ?? 'deny',
      onLimitsUnreachable: oneOf('KEYRAIL_EDGE_ON_LIMITS_UNREACHABLE', 'allow', 'deny') ?? 'allow',
    },
    places: placesIn(text('KEYRAIL_EDGE_LISTEN') ?? ''),
    trustedProxies: proxiesIn(text('KEYRAIL_EDGE_TRUSTED_PROXIES')),
    relay: relayPlace && { url: onlyOne(urls), projectId, place: relayPlace },
  };
}

/** A relay keeps what one control plane said about each version. */
function onlyOne([url = '', ...others]: readonly string[]): string {
  if (others.length === 0 && URL.canParse(url)) return url;
  throw new SettingFault('KEYRAIL_URL must be one URL if KEYRAIL_EDGE_RELAY is set.');
}

/** The SDK checks the keys of the file. */
function feedKeysIn(text: string | undefined): KeyrailOptions['feedKeys'] {
  if (text === undefined || text === 'jwks') return text;
  try {
    return JSON.parse(readFileSync(text, 'utf8'));
  } catch {
    throw new SettingFault('KEYRAIL_EDGE_FEED_KEYS must be jwks or the path of a JSON file.');
  }
}

/** The SDK checks the range. */
function wholeIn(name: Name, text: string | undefined): number | null {
  if (text === undefined || /^\d{1,15}$/.test(text))
    return text === undefined ? null : Number(text);
  throw new SettingFault(`${name} must be a whole number of milliseconds.`);
}

const PLACES_MAX = 8;
const PROXIES_MAX = 64;

function placesIn(text: string): Place[] {
  const places = listIn(text).map(placeIn);
  if (places.length > 0 && places.length <= PLACES_MAX) return places;
  throw new SettingFault(`KEYRAIL_EDGE_LISTEN must name 1 to ${PLACES_MAX} places.`);
}

function placeIn(text: string): Place {
  if (text.startsWith('unix:/')) return { path: text.slice('unix:'.length) };
  const place = addressIn(text);
  if (place) return place;
  throw new SettingFault('KEYRAIL_EDGE_LISTEN must hold host:port or unix:/path.');
}

function addressIn(text: string): Place | null {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) return null;
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/** Apart from the places of verification, so that a proxy in front of it opens nothing else. */
function relayPlaceIn(text: string): Place | null {
  if (text === 'off') return null;
  const place = addressIn(text);
  if (place) return place;
  throw new SettingFault(
    'KEYRAIL_EDGE_RELAY must be off, or the host:port where the relay listens.',
  );
}

function proxiesIn(text: string | undefined): string[] {
  const proxies = listIn(text);
  const isKnown = (one: string) => one === UNIX || isAddressBlock(one);
  if (proxies.length <= PROXIES_MAX && proxies.every(isKnown)) return proxies;
  throw new SettingFault(
    `KEYRAIL_EDGE_TRUSTED_PROXIES must be up to ${PROXIES_MAX} IP addresses, ranges, or unix.`,
  );
}

const listIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
