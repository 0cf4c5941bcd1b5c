// Creates a node: its policy, the feed that updates it, its cache, and the admission of requests.
import { parseCredential } from '@keyrail/protocol/key-format.ts';
import type { RouteOptions } from './api/decision.ts';
import type { Keyrail, KeyrailState, Verify } from './api/keyrail.ts';
import { decide } from './decide/decide.ts';
import type { Knowledge } from './decide/key-context.ts';
import { type DiskCache, openDiskCache } from './policy/cache/cache.ts';
import { Feed } from './policy/feed.ts';
import { Standing } from './policy/state.ts';
import { createTime, type Time } from './policy/time.ts';
import { createAdmit } from './request/admit.ts';
import { type Internals, type KeyrailOptions, type Settings, settingsOf } from './settings.ts';
import { createTransport, type Transport } from './transport.ts';
import { SDK } from './version.ts';

const READY_MS_DEFAULT = 10_000;
const ANY_ROUTE: RouteOptions = Object.freeze({});

/**
 * Creates a node: it loads the project's policy, follows its changes, and verifies keys locally.
 * Create one per program and share it. Throws a TypeError if an option such as `url`, `secretKey`
 * or `projectId` is invalid; nothing throws after that.
 *
 * @example
 * const keyrail = createKeyrail({ url, secretKey, projectId });
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), listInvoices);
 */
export function createKeyrail<R = unknown>(
  options: KeyrailOptions<R>,
  internals: Internals = {},
): Keyrail<R> {
  const settings = settingsOf(options, internals);
  const { clock, chance, log, staleAfterMs } = settings;
  const transport = createTransport({ ...settings, userAgent: `${SDK.name}/${SDK.version}` });
  const time = createTime(clock);
  const standing = new Standing({ clock, staleAfterMs, log });
  const env = envOfFeed(settings);
  const { cacheDir } = settings;
  const cache = cacheDir === null ? null : openDiskCache({ ...settings, env }, cacheDir);
  const feed = new Feed({
    ...settings,
    env,
    filter: settings,
    transport,
    time,
    standing,
    cache,
  });
  const verify = verifier(settings, standing, time);
  const others = observed(transport, () => feed.wake());
  const around = createAdmit<R>({ settings, verify, transport: others, clock, chance, log });
  const following = follow({ cache, standing, time, feed });
  let closing: Promise<void> | null = null;

  const close = async () => {
    feed.stop();
    standing.close();
    await Promise.all([following.then(() => feed.leave()), around.close()]);
    await cache?.close();
  };
  return {
    ready: (timeoutMs = READY_MS_DEFAULT) => standing.whenReady(timeoutMs),
    verify,
    admit: (call, route = ANY_ROUTE) => around.admit(call, route),
    enter: (call, route = ANY_ROUTE) => around.enter(call, route),
    state: () => ({ ...stateOf(standing, settings, cache), telemetry: around.telemetry() }),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type Following = { cache: DiskCache | null; standing: Standing; time: Time; feed: Feed };

/** Loads the cached policy, then follows the feed, which replaces it. */
async function follow({ cache, standing, time, feed }: Following): Promise<void> {
  const kept = await cache?.load();
  if (kept) {
    time.heard(kept.savedAt);
    standing.restored(kept.policy, kept.confirmedAt);
  }
  await feed.run();
}

function verifier<R>(settings: Settings<R>, standing: Standing, time: Time): Verify<R> {
  const { projectId, resources, log } = settings;
  const known: Knowledge<R> = { standing, projectId, resources, now: time.now };
  return (keyText, route = ANY_ROUTE) => {
    try {
      return decide(known, keyText, route);
    } catch (error) {
      log('error', `keyrail: a key was refused because of an internal error: ${error}`);
      const reason = 'policy_unavailable';
      return { allowed: false, reason, missingScopes: [], degraded: true, key: null };
    }
  };
}

/** The feed sends only test keys to a test secret key. */
function envOfFeed<R>({ env, secretKey }: Settings<R>) {
  return env ?? (parseCredential(secretKey)?.env === 'test' ? 'test' : null);
}

function stateOf<R>(
  standing: Standing,
  { nodeId }: Settings<R>,
  cache: DiskCache | null,
): Omit<KeyrailState, 'telemetry'> {
  const { policy, degraded, source, lastSyncAt, trouble } = standing;
  return {
    version: policy?.version ?? null,
    keys: policy?.table.size ?? 0,
    degraded,
    source,
    lastSyncAt,
    failure: trouble ?? cacheFailure(cache?.trouble() ?? null),
    projectDeleted: policy?.projectDeleted ?? false,
    nodeId,
  };
}

/** Hard: until it is fixed, a restart without the control plane has no policy. */
const cacheFailure = (why: string | null): KeyrailState['failure'] =>
  why === null ? null : { hard: true, message: `the policy cache cannot be written: ${why}` };

/** Calls `onAnswer` after every successful request. */
const observed = (transport: Transport, onAnswer: () => void): Transport => ({
  send: async (exchange) => {
    const outcome = await transport.send(exchange);
    if (outcome.kind === 'answer') onAnswer();
    return outcome;
  },
});
