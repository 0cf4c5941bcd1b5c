// Revokes an API key, and reports how many nodes have applied the revocation.
import type { Answer } from '@keyrail/client';
import type { IncompleteReason } from '@keyrail/protocol/wire/receipt.ts';
import { type Command, foreseeable } from '../command.ts';
import type { Context } from '../context.ts';
import { receiptOption, receiptPathOf, writeReceipt } from '../exports/receipt-file.ts';
import { keyArg, keyIdOf, keyNameOf } from '../input/find-key.ts';
import type { Given } from '../input/given.ts';
import { reasonOption } from '../input/options.ts';

/** The time limit for a request with `--wait`. Must exceed the server's own limit for the wait. */
const WAIT_MS_MAX = 120_000;

/**
 * The time limit for loading the key first. The key is only needed for the message, so a slow
 * response must not delay the revocation.
 */
const READ_MS_MAX = 2000;

export const waitOption = {
  flags: '--wait',
  about: 'wait until every active node has applied it, or time out',
} as const;

const { request, impact } = foreseeable((client) => client.keys.revoke)(async (client, given) => [
  await keyIdOf(client, given),
  endingInput(given),
]);

export const keyRevoke: Command = {
  name: 'revoke',
  summary: 'revoke an API key permanently',
  args: [keyArg],
  options: [reasonOption, waitOption, receiptOption],
  examples: [
    'keyrail keys revoke kr_live_3hArfb --reason "leaked in a log" --wait',
    'keyrail keys revoke kr_live_3hArfb --wait --receipt revoked.jws',
    'keyrail keys revoke 01890c5e-… --yes --json',
  ],
  changes: true,
  question: async (given, { client }) => `Revoke the API key ${await keyNameOf(client(), given)}?`,
  impact,
  run: async (context, given) => {
    const path = await receiptPathOf(given);
    const client = context.client();
    const earlier = await revokedAtOf(context, async () =>
      client.keys.get(await keyIdOf(client, given), QUICKLY),
    );
    const key = await request(client, given, context);
    const done = revokedText(key.display_prefix, earlier);
    const kept = await writeReceipt(path, key);
    reportEnded(context, key, { done, kept });
  },
};

/** Builds the input for a request that revokes or disables a key. */
export const endingInput = (given: Given) => ({
  query: { wait: given.flag('wait') },
  body: { reason: given.maybe('reason') },
  ...(given.flag('wait') && { timeoutMs: WAIT_MS_MAX }),
});

export const QUICKLY = { totalMs: READ_MS_MAX, retries: 0 };

/**
 * Returns when the key was revoked, if that was before this command. Null if it wasn't revoked, or
 * if it couldn't be loaded in time.
 */
export async function revokedAtOf(
  { output }: Context,
  read: () => Promise<{ revoked_at: string | null }>,
): Promise<string | null> {
  if (!output.hasText) return null;
  // Errors are ignored here, because if they persist, the revocation itself reports them.
  return read().then(
    ({ revoked_at: at }) => at,
    () => null,
  );
}

export const revokedText = (prefix: string, earlier: string | null): string =>
  earlier === null ? `Revoked ${prefix}.` : `${prefix} was already revoked on ${earlier}.`;

type Ended = Answer<'POST /v1/keys/{id}/revoke' | 'POST /v1/keys/{id}/disable'>;
type Propagation = NonNullable<Ended['propagation']>;

/** Reports the change and how many nodes have applied it, then warns about those that have not. */
export function reportEnded(
  { output }: Context,
  key: Ended,
  { done, kept }: { done: string; kept: string },
): void {
  const { propagation } = key;
  output.report(key, done + (propagation ? countsOf(propagation) : '') + kept);
  if (!propagation) return;
  const { incomplete_reason: reason, nodes, silent_nodes: silent } = propagation;
  if (reason !== null) {
    output.warn(incomplete[reason]);
    const missing = nodes.filter((node) => !node.acked).map(({ node_id }) => node_id);
    if (missing.length > 0) {
      output.warn(`Not yet acknowledged by: ${missing.join(', ')}`);
    }
  }
  if (silent > 0) {
    output.warn(
      `Silent nodes seen in the last 24 hours: ${silent}. Any that are still running will accept ` +
        'the key until they reconnect.',
    );
  }
}

function countsOf({ acked_nodes: acked, total_nodes: total, complete }: Propagation): string {
  if (total > 0) return ` ${acked} of ${total} nodes have applied it.`;
  return complete ? ' No nodes are connected.' : ' No nodes have reported back.';
}

/** Warnings for each reason why a change may not have reached every node. */
const incomplete: Record<IncompleteReason, string> = {
  restored:
    'The server was restored from a backup moments ago. Nodes that joined after that backup may ' +
    'not have reported back yet, so they may still accept this key. Run the command again in 2 ' +
    'minutes to be sure.',
  full:
    "The project can't register more nodes. Any others are not counted here and may still accept " +
    'this key. Let nodes share a relay, or split the project.',
  silent:
    'At least one node has not polled since the change. If it is still running but offline, it ' +
    'accepts this key until it polls again.',
  timeout:
    'At least one node polled moments ago but has not confirmed the change yet, so it may still ' +
    'accept this key. Run the command again in a few seconds.',
};
