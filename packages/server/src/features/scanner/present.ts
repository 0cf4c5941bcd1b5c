// The scanner's verdicts: whether each token is one of this deployment's credentials.

import type { ScannerReport, ScannerVerdict } from '@keyrail/protocol/objects/scanner.ts';
import { lookupHash } from '@keyrail/protocol/wire/key-format.ts';

export const presentVerdict = (
  { token, type }: ScannerReport[number],
  isOurs: (hash: string) => boolean,
): ScannerVerdict => {
  const hash = lookupHash(token);
  return {
    token_hash: hash,
    token_type: type,
    label: isOurs(hash) ? 'true_positive' : 'false_positive',
  };
};
