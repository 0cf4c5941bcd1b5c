// Disabling an API key for a while, and enabling it again.
import type { Command } from '../command.ts';
import { keyArg, keyIdOf, keyNameOf } from '../input/find-key.ts';
import { reasonOption } from '../input/options.ts';
import { propagationText, WAIT_MS_MAX, waitOption } from './revoke-key.ts';

export const keyDisable: Command = {
  name: 'disable',
  summary: 'disable an API key until it is enabled again',
  args: [keyArg],
  options: [reasonOption, waitOption],
  examples: ['keyrail keys disable kr_live_3hArfb --reason "unpaid invoice" --wait'],
  changes: true,
  question: async (given, { client }) => `Disable the API key ${await keyNameOf(client(), given)}?`,
  run: async (context, given) => {
    const client = context.client();
    const key = await client.call('POST /v1/keys/{id}/disable', {
      params: { id: await keyIdOf(client, given) },
      query: { wait: given.flag('wait') },
      body: { reason: given.maybe('reason') },
      ...(given.flag('wait') && { timeoutMs: WAIT_MS_MAX }),
    });
    const done = `Disabled ${key.display_prefix}.`;
    context.output.report(key, done + propagationText(key, context));
  },
};

export const keyEnable: Command = {
  name: 'enable',
  summary: 'enable a disabled API key',
  args: [keyArg],
  examples: ['keyrail keys enable kr_live_3hArfb'],
  changes: true,
  run: async ({ client, output }, given) => {
    const id = await keyIdOf(client(), given);
    const key = await client().call('POST /v1/keys/{id}/enable', { params: { id } });
    output.report(key, `Enabled ${key.display_prefix}.`);
  },
};
