// Every setting with its name, meaning, default and parser. `keyrail-edge help` prints them.
import { checkNames } from '@keyrail/protocol/wire/setting-names.ts';
import type { KeyrailOptions } from '@keyrail/sdk';
import type { Defaults } from './requirements.ts';
import {
  feedKeysIn,
  listIn,
  oneOf,
  type Place,
  placesIn,
  projectIdIn,
  proxiesIn,
  relayPlaceIn,
  SettingFault,
  secretKeyIn,
  urlsIn,
  wholeIn,
} from './setting-parsers.ts';
import { UNIX } from './trusted-proxies.ts';

export type Settings = {
  node: KeyrailOptions;
  defaults: Defaults;
  places: readonly Place[];
  /** IP address ranges; `unix` represents every Unix socket. */
  trustedProxies: readonly string[];
  /** The relay's control plane, project and listening address; null if the relay is off. */
  relay: { url: string; projectId: string; place: Place } | null;
  warnings: readonly string[];
};

type Setting = { name: string; meaning: string; fallback: string | null; isRequired?: true };

const settings = [
  {
    name: 'KEYRAIL_URL',
    meaning:
      'Root URL of the control plane. With relays: comma-separated URLs, most preferred first.',
    fallback: null,
    isRequired: true,
  },
  {
    name: 'KEYRAIL_SECRET_KEY',
    meaning: 'Secret key with the profile node, krsk_….',
    fallback: null,
    isRequired: true,
  },
  {
    name: 'KEYRAIL_PROJECT_ID',
    meaning: 'Project whose keys are verified.',
    fallback: null,
    isRequired: true,
  },
  {
    name: 'KEYRAIL_ENV',
    meaning: 'Load only live or only test keys. Unset: everything the secret key can read.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_LISTEN',
    meaning: 'Where to listen, comma-separated: host:port, or unix: plus an absolute path.',
    fallback: '127.0.0.1:4410',
  },
  {
    name: 'KEYRAIL_EDGE_TRUSTED_PROXIES',
    meaning: 'Comma-separated proxies that may forward requests: IP addresses, CIDR blocks, unix.',
    fallback: UNIX,
  },
  {
    name: 'KEYRAIL_EDGE_CACHE_DIR',
    meaning:
      'Directory for caching the policy, so Edge can start without the control plane. Unset: no cache.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_FEED_KEYS',
    meaning: 'Verify the signed policy feed: jwks, or the path to a file with pinned keys.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_KEY_HEADERS',
    meaning: 'Comma-separated headers that may contain the key, in order.',
    fallback: 'authorization,x-api-key',
  },
  {
    name: 'KEYRAIL_EDGE_MAX_STALE_MS',
    meaning: 'Deny every key if the policy has not been confirmed for this long. Unset: never.',
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_ON_NO_POLICY',
    meaning: 'If there is no policy yet: deny, or allow every well-formed key unverified.',
    fallback: 'deny',
  },
  {
    name: 'KEYRAIL_EDGE_ON_LIMITS_UNREACHABLE',
    meaning: "If rate limits can't be checked: allow or deny.",
    fallback: 'allow',
  },
  {
    name: 'KEYRAIL_EDGE_LEASES',
    meaning: 'Decide most requests with busy rate-limited keys locally, using leases: on or off.',
    fallback: 'off',
  },
  {
    name: 'KEYRAIL_EDGE_RELAY',
    meaning:
      "host:port where the workspace's nodes can poll this Edge instead of the control plane, or off.",
    fallback: 'off',
  },
  {
    name: 'KEYRAIL_EDGE_NODE_NAME',
    meaning: "This node's name in revocation results. Unset: the host name.",
    fallback: null,
  },
  {
    name: 'KEYRAIL_EDGE_TELEMETRY',
    meaning: 'Report requests to the control plane: on or off.',
    fallback: 'on',
  },
] as const satisfies readonly Setting[];

type Name = (typeof settings)[number]['name'];

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

/** Throws a single SettingFault that lists everything that is wrong. */
export function settingsIn(env: Readonly<Record<string, string | undefined>>): Settings {
  const names = checkNames(env, {
    program: 'keyrail-edge',
    known: settings.map((one) => one.name),
  });
  const faults = [...names.faults];
  /** Reads one setting. Undefined if its value is missing or invalid. */
  const read = <T>(name: Name, parse: (text: string) => T): T | undefined => {
    const { fallback = null, ...setting } = settings.find((one) => one.name === name) ?? {};
    const value = env[name]?.trim() || fallback || undefined;
    if (value === undefined) {
      if ('isRequired' in setting) faults.push(`${name} must be set`);
      return undefined;
    }
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
      faults.push(`${name} ${error.message}`);
      return undefined;
    }
  };
  const text = (name: Name) => read(name, (value) => value);
  const urls = read('KEYRAIL_URL', urlsIn) ?? [];
  const projectId = read('KEYRAIL_PROJECT_ID', projectIdIn) ?? '';
  const relayPlace = read('KEYRAIL_EDGE_RELAY', relayPlaceIn) ?? null;
  // The relay remembers policy versions, which are valid for only one control plane.
  if (relayPlace && urls.length > 1) {
    faults.push('KEYRAIL_URL must be one URL if KEYRAIL_EDGE_RELAY is set');
  }
  const found: Settings = {
    node: {
      url: urls,
      secretKey: read('KEYRAIL_SECRET_KEY', secretKeyIn) ?? '',
      projectId,
      env: read('KEYRAIL_ENV', oneOf('live', 'test')),
      include: ['externalId'],
      nodeName: text('KEYRAIL_EDGE_NODE_NAME'),
      cacheDir: text('KEYRAIL_EDGE_CACHE_DIR'),
      feedKeys: read('KEYRAIL_EDGE_FEED_KEYS', feedKeysIn),
      maxStaleMs: read('KEYRAIL_EDGE_MAX_STALE_MS', wholeIn) ?? null,
      keyHeaders: read('KEYRAIL_EDGE_KEY_HEADERS', listIn),
      rateLimit: { leases: read('KEYRAIL_EDGE_LEASES', oneOf('on', 'off')) === 'on' },
      telemetry: read('KEYRAIL_EDGE_TELEMETRY', oneOf('on', 'off')) === 'on',
    },
    defaults: {
      onNoPolicy: read('KEYRAIL_EDGE_ON_NO_POLICY', oneOf('deny', 'allow')) ?? 'deny',
      onLimitsUnreachable:
        read('KEYRAIL_EDGE_ON_LIMITS_UNREACHABLE', oneOf('allow', 'deny')) ?? 'allow',
    },
    places: read('KEYRAIL_EDGE_LISTEN', placesIn) ?? [],
    trustedProxies: read('KEYRAIL_EDGE_TRUSTED_PROXIES', proxiesIn) ?? [],
    relay: relayPlace && { url: urls[0] ?? '', projectId, place: relayPlace },
    warnings: names.ofClients.map(
      (name) => `ignoring ${name}: it is a setting for other Keyrail clients, not for Edge`,
    ),
  };
  if (faults.length === 0) return found;
  throw new SettingFault(faults.join('\n'));
}
