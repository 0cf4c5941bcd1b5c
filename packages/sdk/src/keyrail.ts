// Creates a node: its policy, the feed that updates it, its cache, and the admission of requests.
import { parseCredential } from '@keyrail/protocol/wire/key-format.ts';
import { createAddresses } from './addresses.ts';
import type { Env, RequestContext, UnverifiedContext } from './api/context.ts';
import type { Decision } from './api/decision.ts';
import type { Keyrail, KeyrailState, Verify } from './api/keyrail.ts';
import type { KeyrailOptions } from './api/options.ts';
import type { RouteOptions, VerifiedRoute } from './api/route.ts';
import type { Inputs } from './decide/allowed-key.ts';
import { decide } from './decide/decide.ts';
import { createNodeTally, type NodeTally } from './metrics.ts';
import { isNextBuild, unconnected } from './next-build.ts';
import { type DiskCache, openDiskCache } from './policy/cache/cache.ts';
import { openKeptKeys } from './policy/cache/kept-keys.ts';
import { Feed } from './policy/feed.ts';
import { feedQuery } from './policy/feed-query.ts';
import { openFeedKeys } from './policy/proof/feed-keys.ts';
import { createFeedVerifier, type FeedVerifier } from './policy/proof/proof.ts';
import { PolicyState } from './policy/state.ts';
import { createTime, type Time } from './policy/time.ts';
import { createAdmitter } from './request/admit.ts';
import { admitWhenReady } from './request/ready-wait.ts';
import { type Runtime, type Settings, settingsOf } from './settings.ts';
import { createTransport, type Transport } from './transport.ts';
import { SDK } from './version.ts';

const READY_MS_DEFAULT = 10_000;
const ANY_ROUTE: RouteOptions = Object.freeze({});

/**
 * Creates a node: it loads the project's policy, follows its changes, and verifies keys locally.
 * Create one per process and share it. Throws a TypeError if an option such as `url`, `secretKey`
 * or `projectId` is invalid, and on Cloudflare Workers and edge runtimes. The node itself never
 * throws. During `next build`, it needs no options, makes no connections and has no policy.
 *
 * @example
 * const keyrail = createKeyrail({ url, secretKey, projectId });
 * app.get('/invoices', protect(keyrail, { scopes: ['invoices:read'] }), listInvoices);
 */
export const createKeyrail = <R = unknown>(options: KeyrailOptions<R>): Keyrail<R> =>
  isNextBuild(globalThis) ? createClosedNode() : createNode(options, {});

function createClosedNode<R>(): Keyrail<R> {
  const { options, runtime } = unconnected<R>();
  const node = createNode(options, runtime);
  void node.close();
  return { ...node, ready: async () => false };
}

/**
 * `createKeyrail` with replacements for parts of the runtime, for tests.
 *
 * @internal
 */
export function createNode<R = unknown>(options: KeyrailOptions<R>, runtime: Runtime): Keyrail<R> {
  const settings = settingsOf(options, runtime);
  const { clock, chance, log, cacheDir } = settings;
  const sdk = `${SDK.name}/${SDK.version}`;
  const tally = createNodeTally();
  const addresses = createAddresses({ ...settings, transports: transportsOf(settings, sdk) });
  const transport = tally.counting(addresses);
  const time = createTime(clock);
  const state = new PolicyState({ ...settings, time });
  const env = envOfFeed(settings);
  // A relay must not be able to choose the keys that its responses are verified with.
  const deployment = tally.counting(createTransport({ ...settings, userAgent: sdk }));
  const verifier = feedVerifierOf(settings, env, deployment);
  const query = feedQuery(settings.projectId, settings);
  const proven = verifier && { verifier, query };
  const cache = cacheDir === null ? null : openDiskCache({ ...settings, env, proven }, cacheDir);
  const parts = { transport, time, state, cache, sdk, verifier };
  const feed = new Feed({ ...settings, env, filter: settings, ...parts });
  const verify = createVerify(settings, { state, tally });
  const others = observed(transport, () => feed.wake());
  const admitter = createAdmitter<R>({
    settings,
    verify,
    transport: others,
    clock,
    chance,
    log,
  });
  const following = follow({ cache, state, time, feed });
  const beside = () =>
    cacheFailure(cache?.failure() ?? null) ?? keysFailure(verifier?.keys.failure ?? null);
  const wholeState = () => ({
    ...stateOf(state, settings, beside()),
    telemetry: admitter.telemetry(),
  });
  let closing: Promise<void> | null = null;

  const close = async () => {
    feed.stop();
    state.close();
    await Promise.all([following.then(() => feed.leave()), admitter.close()]);
    addresses.close();
    await cache?.close();
  };
  return {
    ready: (timeoutMs = READY_MS_DEFAULT) => state.whenReady(timeoutMs),
    verify,
    admit: admitWhenReady(admitter.admit, {
      clock,
      isReady: () => state.decides(),
      whenReady: (timeoutMs) => state.whenReady(timeoutMs),
    }),
    state: wholeState,
    metrics: () =>
      tally.text(wholeState(), { nowMs: clock.now(), unproven: verifier?.refusals() ?? 0 }),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

const transportsOf = <R>(settings: Settings<R>, userAgent: string): Transport[] =>
  settings.bases.map((base) => createTransport({ ...settings, base, userAgent }));

type Following = { cache: DiskCache | null; state: PolicyState; time: Time; feed: Feed };

/** Loads the cached policy, then follows the feed, which replaces it. */
async function follow({ cache, state, time, feed }: Following): Promise<void> {
  const kept = await cache?.load();
  if (kept) {
    time.heard(kept.savedAt);
    state.restored(kept.policy, kept.confirmedAt);
  }
  await feed.run();
}

type Deciding = { state: PolicyState; tally: NodeTally };

function createVerify<R>(settings: Settings<R>, { state, tally }: Deciding): Verify<R> {
  type Text = string | null | undefined;
  const { projectId, resources, log } = settings;
  const inputs: Inputs<R> = { state, projectId, resources, verify };
  function verify(keyText: Text, route?: VerifiedRoute): Decision<RequestContext<R>>;
  function verify(
    keyText: Text,
    route?: RouteOptions,
  ): Decision<RequestContext<R> | UnverifiedContext<R>>;
  function verify(
    keyText: Text,
    route: RouteOptions = ANY_ROUTE,
  ): Decision<RequestContext<R> | UnverifiedContext<R>> {
    try {
      const decision = decide(inputs, keyText, route);
      tally.decided(decision.allowed ? 'allowed' : decision.reason);
      return decision;
    } catch (error) {
      log('error', `keyrail: denied a key because of an internal error: ${error}`);
      const reason = 'policy_unavailable';
      tally.decided(reason);
      return { allowed: false, reason, missingScopes: [], degraded: true, key: null };
    }
  }
  return verify;
}

/** Creates the verifier for the feed's signatures; null if they are not verified. */
function feedVerifierOf<R>(
  settings: Settings<R>,
  env: Env | null,
  transport: Transport,
): FeedVerifier | null {
  const { feedKeys, cacheDir, clock, log } = settings;
  if (feedKeys === null) return null;
  const naming = { ...settings, env, isProven: true };
  const kept = cacheDir === null ? null : openKeptKeys(naming, cacheDir);
  const keys = openFeedKeys(feedKeys, { transport, clock, kept, log });
  return createFeedVerifier({ keys, clock, keepsBodies: cacheDir !== null });
}

/** With a test secret key, the feed contains only test keys. */
function envOfFeed<R>({ env, secretKey }: Settings<R>) {
  return env ?? (parseCredential(secretKey)?.env === 'test' ? 'test' : null);
}

function stateOf<R>(
  state: PolicyState,
  { nodeId }: Settings<R>,
  beside: KeyrailState['failure'],
): Omit<KeyrailState, 'telemetry'> {
  const { policy, source, lastSyncAt, failure } = state;
  const { degraded, tooOld } = state.look();
  return {
    version: policy?.version ?? null,
    keys: policy?.table.size ?? 0,
    degraded,
    tooOld,
    source,
    lastSyncAt,
    failure: failure ?? beside,
    projectDeleted: policy?.projectDeleted ?? false,
    nodeId,
  };
}

/**
 * A hard failure, because until it is fixed, a node that restarts without the control plane has no
 * policy.
 */
const cacheFailure = (why: string | null): KeyrailState['failure'] =>
  why === null ? null : { hard: true, message: `failed to write the policy cache: ${why}` };

/** A soft failure, because the node reloads the list of signing keys every hour. */
const keysFailure = (why: string | null): KeyrailState['failure'] =>
  why === null ? null : { hard: false, message: why };

/** Calls `onAnswer` after every successful request. */
const observed = (transport: Transport, onAnswer: () => void): Transport => ({
  send: async (exchange) => {
    const outcome = await transport.send(exchange);
    if (outcome.kind === 'answer') onAnswer();
    return outcome;
  },
});
