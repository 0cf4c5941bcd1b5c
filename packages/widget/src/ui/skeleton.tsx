// Placeholder rows while keys are loading. They appear after a delay, so none are shown if the
// response is quick.
import { useEffect, useState } from 'preact/hooks';
import type { Words } from '../texts/texts.ts';

const SHOWN_AFTER_MS = 150;
const ROWS = [1, 2, 3];

export function Skeleton({ words }: { words: Words }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={isShown ? 'waiting shown' : 'waiting'} role="status">
      <span class="unseen">{words['list.loading']}</span>
      {ROWS.map((row) => (
        <div key={row} class="skeleton-row">
          <i class="skeleton" />
          <i class="skeleton" />
        </div>
      ))}
    </div>
  );
}
