// Announces changes elsewhere on the page, such as the number of rows after filtering.
import { createObserved, useObserved } from '../../api/observed.ts';

const said = createObserved('');

/**
 * Returns a function that removes the announcement. Call it when the content it describes is gone.
 */
export function announce(text: string): () => void {
  said.set(text);
  return () => {
    if (said.get() === text) said.set('');
  };
}

export const Announcements = () => (
  <p aria-live="polite" className="unseen">
    {useObserved(said)}
  </p>
);
