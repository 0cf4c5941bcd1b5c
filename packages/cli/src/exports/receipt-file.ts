// The file of a receipt: the compact JWS and a line end, nothing else.
import { access, writeFile } from 'node:fs/promises';
import type { Answer } from '@keyrail/client';
import { refused, usage } from '../failures.ts';
import type { Given } from '../input/given.ts';

export const receiptOption = {
  flags: '--receipt <file>',
  about: 'with --wait: write the signed receipt of the result to a new file',
} as const;

type Ended = Answer<'POST /v1/keys/{id}/revoke' | 'POST /v1/keys/{id}/disable'>;

/** The path of the receipt, checked before anything is changed. */
export async function receiptPathOf(given: Given): Promise<string | undefined> {
  const path = given.maybe('receipt');
  if (path === undefined) return undefined;
  if (!given.flag('wait')) throw usage('--receipt needs --wait: it states the result of the wait.');
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw usage(`${path} exists. A receipt is written to a new file.`);
  return path;
}

/** The key has been changed already, so a failure says how to get a receipt after all. */
export async function writeReceipt(
  path: string | undefined,
  { propagation }: Ended,
): Promise<string> {
  if (path === undefined || !propagation) return '';
  const hint = 'Repeat the command: it changes nothing more, and states the result again.';
  if (propagation.receipt === null) {
    throw refused('The change was made, but the deployment has no key that signs receipts.', hint);
  }
  await writeFile(path, `${propagation.receipt}\n`, { flag: 'wx' }).catch((error: Error) => {
    throw refused(`The change was made, but ${path} cannot be written: ${error.message}`, hint);
  });
  return ` The receipt is in ${path}.`;
}
