// Announces changes on the page to screen readers, such as the number of rows after filtering.
import { createObserved, useObserved } from '../../api/observed.ts';

const said = createObserved('');

/**
 * Makes an announcement and returns a function that removes it. Call that function once the
 * announced content is gone.
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
