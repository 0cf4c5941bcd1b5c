// Shows the exact response that callers of the protected API receive.
import { refuseKey } from '@keyrail/protocol/wire/denials.ts';
import { Copy } from '../../ui/controls/copy.tsx';
import { denialText } from './denial.ts';
import styles from './explain.module.css';
import { missingOf } from './remedies.tsx';
import { texts } from './texts.ts';
import type { Explanation } from './use-explain.ts';

type Props = { explanation: Explanation; scopes: readonly string[] };

export function CallerAnswer({ explanation, scopes }: Props) {
  const { reason } = explanation;
  const text =
    reason === null ? null : denialText(refuseKey(reason, missingOf(explanation, scopes)));
  return (
    <section className={styles.answer} aria-label={texts.answer}>
      <header className={styles.answerHead}>
        <h2>{texts.answer}</h2>
        {text !== null && <Copy text={text} label={texts.copyAnswer} />}
      </header>
      <p className={styles.nodes}>{text === null ? texts.answerAllowed : texts.answerDenied}</p>
      {text !== null && (
        <pre className={styles.http} translate="no">
          {text}
        </pre>
      )}
    </section>
  );
}
