// Announces changes elsewhere on the page, such as the number of rows after filtering.
import { createObserved, useObserved } from '../../api/observed.ts';

const said = createObserved('');

/**
 * Returns a function that removes the announcement, because it must not stay on a page without that
 * list.
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
