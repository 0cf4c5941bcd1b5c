// Revoking an API key, and how many of the verifying nodes have applied it.
import type { Answer } from '@keyrail/client';
import { type Command, foreseeable } from '../command.ts';
import type { Context } from '../context.ts';
import { receiptOption, receiptPathOf, writeReceipt } from '../exports/receipt-file.ts';
import { keyArg, keyIdOf, keyNameOf } from '../input/find-key.ts';
import type { Given } from '../input/given.ts';
import { reasonOption } from '../input/options.ts';

/** The server limits the wait itself; this limit only has to be longer. */
const WAIT_MS_MAX = 120_000;

/** The key is read first only for the message, so a slow response must not delay the revocation. */
const READ_MS_MAX = 2000;

export const waitOption = {
  flags: '--wait',
  about: 'wait until every verifying node has applied it, or time out',
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
    context.output.report(key, done + propagationText(key, context) + kept);
  },
};

/** The input of a revocation or a disabling. */
export const endingInput = (given: Given) => ({
  query: { wait: given.flag('wait') },
  body: { reason: given.maybe('reason') },
  ...(given.flag('wait') && { timeoutMs: WAIT_MS_MAX }),
});

export const QUICKLY = { totalMs: READ_MS_MAX, retries: 0 };

/** When a key was revoked before; null if it was not, or if that cannot be read in time. */
export async function revokedAtOf(
  { output }: Context,
  read: () => Promise<{ revoked_at: string | null }>,
): Promise<string | null> {
  if (!output.hasText) return null;
  // Revoking reports the same failure, if it persists.
  return read().then(
    ({ revoked_at: at }) => at,
    () => null,
  );
}

export const revokedText = (prefix: string, earlier: string | null): string =>
  earlier === null ? `Revoked ${prefix}.` : `Was already revoked on ${earlier}: ${prefix}.`;

/** How many nodes have applied it, with warnings about those that have not. */
export function propagationText(
  { propagation }: Answer<'POST /v1/keys/{id}/revoke' | 'POST /v1/keys/{id}/disable'>,
  { output }: Context,
): string {
  if (!propagation) return '';
  const { acked_nodes: acked, total_nodes: total, complete, nodes } = propagation;
  if (!complete) {
    const missing = nodes.filter((node) => !node.acked).map(({ node_id }) => node_id);
    output.warn(`These nodes have not acknowledged it yet: ${missing.join(', ')}`);
  }
  if (propagation.silent_nodes > 0) {
    output.warn(
      `Silent nodes that were seen within a day: ${propagation.silent_nodes}. A silent node that ` +
        'still runs admits the key until it reconnects.',
    );
  }
  return total === 0 ? ' No node is connected.' : ` ${acked} of ${total} nodes have applied it.`;
}
