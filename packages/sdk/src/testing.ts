// For the vendor's own tests: a complete node with an in-memory control plane. It decides, counts,
// replays and reports like a real node, without a network.
import { randomBytes } from 'node:crypto';
import { mintCredential } from '@keyrail/protocol/wire/key-format.ts';
import type { Keyrail } from './api/keyrail.ts';
import type { KeyrailOptions } from './api/options.ts';
import { systemClock } from './clock.ts';
import { createNode } from './keyrail.ts';
import { createTestPlane } from './testing/control-plane.ts';
import type { IssuedKey, TestKey } from './testing/policy.ts';

export type { IssuedKey, TestKey };

/** Initial keys, and all options of a node except `url`, `secretKey` and `projectId`. */
export type TestOptions<R = unknown> = Partial<
  Omit<KeyrailOptions<R>, 'url' | 'secretKey' | 'projectId'>
> & { keys?: readonly TestKey[] | undefined };

/** A node, with functions that control its in-memory control plane. */
export type TestKeyrail<R = unknown> = Keyrail<R> & {
  /** The keys of the `keys` option, in the same order. */
  readonly keys: readonly IssuedKey[];
  /** Issues a key; resolves when the node has it, or immediately while disconnected. */
  issue(key?: TestKey): Promise<IssuedKey>;
  /** Revokes a key; resolves when the node rejects it, or immediately while disconnected. */
  revoke(keyText: string): Promise<void>;
  /** Returns the telemetry events received so far; `close` sends the rest. */
  events(): readonly object[];
  /** Disconnects the node from its control plane, or reconnects it. */
  setReachable(isReachable: boolean): void;
};

const TURN_MS = 1;
const TURNS_MAX = 5_000;

/**
 * Creates a node for tests that is ready to decide. It needs no server and no settings.
 *
 * @example
 * const keyrail = await createTestKeyrail({ keys: [{ scopes: ['invoices:read'] }] });
 * const { key, tenantId } = keyrail.keys[0];
 * const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
 * await keyrail.close();
 */
export async function createTestKeyrail<R = unknown>(
  options: TestOptions<R> = {},
): Promise<TestKeyrail<R>> {
  const { keys = [], ...rest } = options;
  const projectId = crypto.randomUUID();
  const plane = createTestPlane({ ...systemClock, projectId, randomBytes });
  const issued = keys.map((key) => plane.policy.issue(key));
  const { secret: secretKey } = mintCredential('secret_key', 'live', randomBytes);
  const node = createNode<R>(
    { ...rest, url: 'https://keyrail.invalid', secretKey, projectId },
    { fetch: plane.fetch },
  );
  const applied = async () => {
    const wanted = plane.policy.version();
    const isMissing = () => plane.isReachable() && (node.state().version ?? 0) < wanted;
    for (let turn = 0; isMissing(); turn += 1) {
      if (turn === TURNS_MAX) throw new Error('The node did not receive the change.');
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
  };
  await applied();
  return {
    ...node,
    keys: issued,
    issue: async (key = {}) => {
      const one = plane.policy.issue(key);
      await applied();
      return one;
    },
    revoke: async (keyText) => {
      if (!plane.policy.revoke(keyText)) throw new Error('No such key.');
      await applied();
    },
    events: () => plane.events,
    setReachable: plane.setReachable,
  };
}
