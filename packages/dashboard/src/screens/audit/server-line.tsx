// Compares the server's verification result with what this browser computed.
import { Finding } from './finding.tsx';
import { texts } from './texts.ts';
import type { Finished, Verdict } from './use-chain-check.ts';

type Props = { check: Finished; verdict: Verdict };
type Compared = { isGood: boolean | null; says: string };

export function ServerLine({ check, verdict }: Props) {
  const { isGood, says } = compared(check, verdict);
  return (
    <Finding isGood={isGood} title={texts.chain.server}>
      {says}
    </Finding>
  );
}

function compared({ broken, head }: Props['check'], known: Verdict): Compared {
  const { chain } = texts;
  if (known.status === 'waiting') return { isGood: null, says: chain.serverWaits };
  if (known.status === 'failed') return { isGood: null, says: chain.serverFailed };
  const { verdict, hashHere } = known;
  const { broken_seq: seq } = verdict;
  if (seq !== null) {
    const isSame = broken?.seq === seq;
    const says = isSame ? chain.serverSame(seq) : chain.serverBroken(seq, verdict.reason);
    return { isGood: false, says };
  }
  if (broken !== null) return { isGood: false, says: chain.serverHidden };
  if (head.seq < verdict.head_seq) {
    return { isGood: null, says: chain.serverMore(verdict.head_seq) };
  }
  if (hashHere !== verdict.head_hash) return { isGood: false, says: chain.serverHead };
  return { isGood: true, says: chain.serverWhole(verdict.checked) };
}
