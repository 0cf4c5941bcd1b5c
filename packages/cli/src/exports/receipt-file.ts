// Receipt files, which contain only a compact JWS and a line break.
import { access, writeFile } from 'node:fs/promises';
import type { Answer } from '@keyrail/client';
import { refused, usage } from '../failures.ts';
import type { Given } from '../input/given.ts';

export const receiptOption = {
  flags: '--receipt <file>',
  about: 'with --wait: save the signed receipt to a new file',
} as const;

type Ended = Answer<'POST /v1/keys/{id}/revoke' | 'POST /v1/keys/{id}/disable'>;

/**
 * Returns the path for the receipt. Checks it before the key is changed, and throws if the file
 * already exists.
 */
export async function receiptPathOf(given: Given): Promise<string | undefined> {
  const path = given.maybe('receipt');
  if (path === undefined) return undefined;
  if (!given.flag('wait')) {
    throw usage('--receipt needs --wait, because it records the result of waiting.');
  }
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw usage(`${path} already exists. Choose a new file for the receipt.`);
  return path;
}

/**
 * Writes the receipt. The key has already been changed, so if this fails, the error says how to get
 * the receipt anyway.
 */
export async function writeReceipt(
  path: string | undefined,
  { propagation }: Ended,
): Promise<string> {
  if (path === undefined || !propagation) return '';
  const hint = "Run the command again to get the result. It won't change anything else.";
  if (propagation.receipt === null) {
    throw refused('The change was made, but this deployment has no receipt signing key.', hint);
  }
  await writeFile(path, `${propagation.receipt}\n`, { flag: 'wx' }).catch((error: Error) => {
    throw refused(`The change was made, but ${path} can't be written: ${error.message}`, hint);
  });
  return ` The receipt is in ${path}.`;
}
