// Applies defaults to a node's options and checks them. Mistakes that would leave routes
// unprotected throw a TypeError; out-of-range numbers are clamped and unknown names are ignored,
// each with a warning.

import { hostname } from 'node:os';
import { isUnencrypted } from '@keyrail/protocol/wire/base-url.ts';
import { feedFeatures } from '@keyrail/protocol/wire/feed-features.ts';
import { parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { POLICY_TENANTS_MAX } from '@keyrail/protocol/wire/limits.ts';
import type { ReadTraceparent } from '@keyrail/protocol/wire/traceparent.ts';
import { UUID_ANY_CASE } from '@keyrail/protocol/wire/uuid.ts';
import type { Env } from './api/context.ts';
import type {
  Include,
  KeyrailOptions,
  Log,
  RateLimitOptions,
  TelemetryOptions,
} from './api/options.ts';
import { basesOf } from './base-url.ts';
import { type Chance, type Clock, systemChance, systemClock } from './clock.ts';
import { POLL_MS_MAX } from './policy/pace.ts';
import { type FeedKeySource, feedKeysIn } from './policy/proof/feed-keys.ts';
import { checkRuntime } from './supported-runtime.ts';
import type { TelemetrySettings } from './telemetry/batch.ts';
import type { Fetch } from './transport.ts';

/** Replacements for parts of the runtime, for tests. */
export type Runtime = {
  clock?: Clock | undefined;
  chance?: Chance | undefined;
  fetch?: Fetch | undefined;
  globals?: object | undefined;
  /** The features that the node can enforce, in alphabetical order. */
  understands?: readonly string[] | undefined;
};

/** The options with defaults applied, checked and clamped. */
export type Settings<R = unknown> = {
  /** The URLs in order of preference, without trailing slashes. */
  bases: readonly string[];
  /** The last URL: the control plane itself. */
  base: string;
  secretKey: string;
  projectId: string;
  env: Env | null;
  tenantIds: readonly string[];
  /** The included fields, sorted. */
  include: readonly Include[];
  understands: readonly string[];
  /** The name stays the same after a restart, but the ID does not. */
  nodeName: string;
  nodeId: string;
  cacheDir: string | null;
  /** The keys that may sign the feed; null if the feed is not verified. */
  feedKeys: FeedKeySource | null;
  resources: { live: R | null; test: R | null };
  keyHeaders: readonly string[];
  longPoll: boolean;
  pollMs: number;
  staleAfterMs: number;
  /** The maximum age of a policy; null if a policy of any age is used. */
  maxStaleMs: number | null;
  leases: boolean;
  rateLimitTimeoutMs: number;
  idempotencyTimeoutMs: number;
  telemetry: TelemetrySettings | null;
  traceparent: ReadTraceparent | undefined;
  log: Log;
  clock: Clock;
  chance: Chance;
  fetch: Fetch;
};

type Bounds = { min: number; max: number; usual: number };
type Warn = (message: string) => void;

/**
 * The minimum `staleAfterMs`, in poll intervals. It is more than one, because jitter delays a poll
 * by up to 20%, and a poll takes time.
 */
const STALE_POLLS_MIN = 1.5;
const HEADER = /^[\w!#$%&'*+.^`|~-]{1,128}$/;
const NODE_NAME = /^[A-Za-z0-9._:-]{1,100}$/;
const NODE_NAME_CHARS_MAX = 100;

const NUMBERS = {
  pollMs: { min: 1_000, max: POLL_MS_MAX, usual: 10_000 },
  staleAfterMs: { min: 5_000, max: 86_400_000, usual: 90_000 },
  rateLimitTimeoutMs: { min: 10, max: 30_000, usual: 500 },
  idempotencyTimeoutMs: { min: 50, max: 60_000, usual: 5_000 },
} satisfies Record<string, Bounds>;

const TELEMETRY = {
  sampleRate: { min: 0.0001, max: 1, usual: 1 },
  flushMs: { min: 50, max: 60_000, usual: 5_000 },
  queueMax: { min: 1, max: 1_000_000, usual: 10_000 },
  batchMax: { min: 1, max: 5_000, usual: 1_000 },
} satisfies Record<string, Bounds>;

const KNOWN = new Set(
  `url secretKey projectId env tenantIds include nodeName cacheDir feedKeys maxStaleMs resources keyHeaders longPoll
   telemetry rateLimit traceparent log ${Object.keys(NUMBERS).join(' ')}`.split(/\s+/),
);

/** Throws a TypeError that never quotes the secret key. */
export function settingsOf<R>(options: KeyrailOptions<R>, runtime: Runtime = {}): Settings<R> {
  checkRuntime(runtime.globals ?? globalThis);
  const log = safe(options.log ?? toConsole);
  const warn = (message: string) => log('warn', `keyrail: ${message}`);
  warnOfUnknown(options, KNOWN, warn);
  const chance = runtime.chance ?? systemChance;
  const bases = basesOf(options.url);
  const base = bases.at(-1) ?? '';
  if (bases.some(isUnencrypted))
    warn('url does not use https; anyone on the network can read the secret key');
  const numbers = paced(clampedAll(NUMBERS, options, warn), options.pollMs !== undefined, warn);
  return {
    ...numbers,
    maxStaleMs: checkMaxStale(options.maxStaleMs, numbers.staleAfterMs),
    bases,
    base,
    secretKey: checkSecretKey(options.secretKey),
    projectId: checkUuid('projectId', options.projectId),
    env: checkEnv(options.env),
    tenantIds: checkTenants(options.tenantIds ?? []),
    include: checkInclude(options.include ?? []),
    understands: runtime.understands ?? feedFeatures,
    ...nodeOf(options.nodeName, chance),
    cacheDir: options.cacheDir ?? null,
    feedKeys: checkFeedKeys(options.feedKeys, base),
    resources: { live: options.resources?.live ?? null, test: options.resources?.test ?? null },
    keyHeaders: checkHeaders(options.keyHeaders ?? ['authorization', 'x-api-key']),
    longPoll: options.longPoll ?? true,
    leases: leasesOf(options.rateLimit ?? {}, warn),
    telemetry: telemetryOf(options.telemetry ?? true, warn),
    traceparent: options.traceparent,
    log,
    clock: runtime.clock ?? systemClock,
    chance,
    // `fetch` is looked up at each call, because instrumentation may replace it.
    fetch: runtime.fetch ?? ((url, init) => fetch(url, init)),
  };
}

/** The policy must not become stale between two successful polls. */
function paced<N extends { pollMs: number; staleAfterMs: number }>(
  numbers: N,
  isPollSet: boolean,
  warn: Warn,
): N {
  const { pollMs, staleAfterMs } = numbers;
  const least = Math.ceil(pollMs * STALE_POLLS_MIN);
  if (staleAfterMs >= least) return numbers;
  if (!isPollSet) return { ...numbers, pollMs: Math.floor(staleAfterMs / STALE_POLLS_MIN) };
  warn(`staleAfterMs is ${staleAfterMs}, which is too short for pollMs; using ${least}`);
  return { ...numbers, staleAfterMs: least };
}

/**
 * Throws instead of clamping, because clamping would allow keys that the given value would deny.
 */
function checkMaxStale(given: unknown, staleAfterMs: number): number | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'number' && Number.isFinite(given) && given >= staleAfterMs) return given;
  throw new TypeError(`maxStaleMs must be a number no smaller than staleAfterMs (${staleAfterMs})`);
}

function telemetryOf(telemetry: boolean | TelemetryOptions, warn: Warn): TelemetrySettings | null {
  if (telemetry === false) return null;
  const options = telemetry === true ? {} : telemetry;
  warnOfUnknown(options, new Set(Object.keys(TELEMETRY)), warn);
  return clampedAll(TELEMETRY, options, warn);
}

function leasesOf(options: RateLimitOptions, warn: Warn): boolean {
  warnOfUnknown(options, new Set(['leases']), warn);
  return options.leases === true;
}

/** An error in the log function must not fail a request. */
const safe =
  (log: Log): Log =>
  (level, message) => {
    try {
      log(level, message);
    } catch {
      // The log itself failed, so there is nowhere to report the error.
    }
  };

const toConsole: Log = (level, message) => {
  if (level !== 'info') console[level](message);
};

function checkSecretKey(secretKey: string): string {
  const parsed = typeof secretKey === 'string' ? parseCredential(secretKey) : null;
  if (parsed?.kind === 'secret_key') return secretKey;
  throw new TypeError('secretKey must be a complete krsk_… credential');
}

function checkUuid(name: string, id: string): string {
  if (typeof id === 'string' && UUID_ANY_CASE.test(id)) return id.toLowerCase();
  throw new TypeError(`${name} must be a UUID`);
}

function checkEnv(env: Env | undefined): Env | null {
  if (env === undefined || env === 'live' || env === 'test') return env ?? null;
  throw new TypeError('env must be live or test');
}

function checkTenants(ids: readonly string[]): string[] {
  if (ids.length > POLICY_TENANTS_MAX)
    throw new TypeError(`tenantIds can contain at most ${POLICY_TENANTS_MAX} IDs`);
  return [...new Set(ids.map((id) => checkUuid('tenantIds', id)))].sort();
}

const INCLUDES: readonly Include[] = ['externalId', 'meta'];

function checkInclude(names: readonly Include[]): Include[] {
  const known = INCLUDES.filter((name) => names.includes(name));
  if (Array.isArray(names) && new Set(names).size === known.length) return known;
  throw new TypeError('include can only contain meta and externalId');
}

/** A typo must not turn verification off. */
function checkFeedKeys(given: unknown, base: string): FeedKeySource | null {
  if (given === undefined) return null;
  if (given === 'jwks') {
    if (!isUnencrypted(base)) return given;
    throw new TypeError('feedKeys: "jwks" needs an https: url; pin the keys instead');
  }
  const keys = feedKeysIn(given);
  if (keys.size > 0) return keys;
  throw new TypeError('feedKeys contains no key with the purpose policy_feed');
}

function checkHeaders(names: readonly string[]): string[] {
  if (names.length > 0 && names.every((name) => HEADER.test(name))) {
    return names.map((name) => name.toLowerCase());
  }
  throw new TypeError('keyHeaders must contain at least one header');
}

function nodeOf(name: string | undefined, chance: Chance) {
  if (name !== undefined && !NODE_NAME.test(name)) {
    throw new TypeError('nodeName must be 1 to 100 letters, digits, dots, colons or dashes');
  }
  const host = () =>
    hostname()
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, NODE_NAME_CHARS_MAX);
  const nodeName = (name ?? host()) || 'node';
  const ending = Math.floor(chance() * 2 ** 32);
  return { nodeName, nodeId: `${nodeName}:${ending.toString(16).padStart(8, '0')}` };
}

/** Clamps numeric options to their bounds, with a warning for each one that was out of range. */
function clampedAll<K extends string>(
  bounds: Record<K, Bounds>,
  options: object,
  warn: Warn,
): Record<K, number> {
  const entries = Object.entries<Bounds>(bounds).map(([name, { min, max, usual }]) => {
    const given: unknown = Reflect.get(options, name);
    if (given === undefined) return [name, usual];
    if (typeof given !== 'number' || Number.isNaN(given)) {
      warn(`${name} is not a number; using ${usual}`);
      return [name, usual];
    }
    // Only `sampleRate` may be a fraction; all other numbers are counts.
    const whole = max > 1 ? Math.floor(given) : given;
    const used = Math.min(max, Math.max(min, whole));
    if (used !== given) warn(`${name} cannot be ${given}; using ${used}`);
    return [name, used];
  });
  return Object.fromEntries(entries);
}

function warnOfUnknown(options: object, known: ReadonlySet<string>, warn: Warn): void {
  for (const name of Object.keys(options)) {
    if (!known.has(name)) warn(`ignoring unknown option ${name}`);
  }
}
