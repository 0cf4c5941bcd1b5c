// Disables API keys, and enables them again.
import { type Command, foreseeable } from '../command.ts';
import { receiptOption, receiptPathOf, writeReceipt } from '../exports/receipt-file.ts';
import { keyArg, keyIdOf, keyNameOf } from '../input/find-key.ts';
import { reasonOption } from '../input/options.ts';
import { endingInput, reportEnded, waitOption } from './revoke-key.ts';

const { request, impact } = foreseeable((client) => client.keys.disable)(async (client, given) => [
  await keyIdOf(client, given),
  endingInput(given),
]);

export const keyDisable: Command = {
  name: 'disable',
  summary: 'disable an API key until you enable it again',
  args: [keyArg],
  options: [reasonOption, waitOption, receiptOption],
  examples: ['keyrail keys disable kr_live_3hArfb --reason "unpaid invoice" --wait'],
  changes: true,
  question: async (given, { client }) => `Disable the API key ${await keyNameOf(client(), given)}?`,
  impact,
  run: async (context, given) => {
    const path = await receiptPathOf(given);
    const key = await request(context.client(), given, context);
    const done = `Disabled ${key.display_prefix}.`;
    const kept = await writeReceipt(path, key);
    reportEnded(context, key, { done, kept });
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
