// The signed receipt for the change. The browser verifies it with the published keys, and the user
// can save it as a file.
import { verifyReceipt } from '@keyrail/client';
import { useEffect, useState } from 'react';
import { useApi } from '../../api/query.ts';
import { classes } from '../../ui/classes.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import styles from './end-key.module.css';
import { texts } from './texts.ts';

type Props = { receipt: string; keyId: string };

export function Receipt({ receipt, keyId }: Props) {
  const verdict = useVerdict({ receipt, keyId });
  const isVerified = verdict === 'verified' || verdict === 'verifiedPartly';
  const isRefused = verdict !== null && !isVerified && verdict !== 'impossible';
  return (
    <div className={classes(styles.receipt, isRefused && styles.warn)}>
      {isVerified && <Icon name="check" size={14} />}
      {isRefused && <Icon name="warning" size={14} />}
      <p role="status">{wordsOf(verdict)}</p>
      <Button
        small
        icon="download"
        onClick={() => saveFile(`receipt-${keyId}.jws`, receipt, 'application/jose')}
      >
        {texts.receipt.save}
      </Button>
    </div>
  );
}

/**
 * The result of verifying the receipt. Null until verification has finished. Strings other than
 * these three are the reason for a failure.
 */
type Verdict = 'verified' | 'verifiedPartly' | 'impossible' | (string & {}) | null;

function useVerdict({ receipt, keyId }: Props): Verdict {
  const { data: keys, error } = useApi('GET /.well-known/jwks.json', {});
  const [verdict, setVerdict] = useState<Verdict>(null);
  useEffect(() => {
    let isHere = true;
    if (error) setVerdict(error.message);
    if (!keys) return;
    const verified = async (): Promise<Verdict> => {
      const found = await verifyReceipt(receipt, keys);
      if (!found.valid) return found.reason;
      const { key_id, complete, silent_nodes } = found.claims;
      if (key_id !== keyId) return texts.receipt.ofAnotherKey;
      return complete && silent_nodes === 0 ? 'verified' : 'verifiedPartly';
    };
    // WebCrypto is unavailable over plain HTTP, and older browsers don't support Ed25519.
    void verified()
      .catch((): Verdict => 'impossible')
      .then((next) => isHere && setVerdict(next));
    return () => {
      isHere = false;
    };
  }, [keys, error, receipt, keyId]);
  return verdict;
}

function wordsOf(verdict: Verdict): string {
  if (verdict === null) return texts.receipt.verifying;
  if (verdict === 'verified') return texts.receipt.verified;
  if (verdict === 'verifiedPartly') return texts.receipt.verifiedPartly;
  if (verdict === 'impossible') return texts.receipt.impossible;
  return texts.receipt.refused(verdict);
}
