// Tells screen readers what changed elsewhere on the page, as the number of rows after a filter.
import { createObserved, useObserved } from '../api/observed.ts';

const said = createObserved('');

export const announce = (text: string): void => said.set(text);

export const Announcements = () => (
  <p aria-live="polite" className="unseen">
    {useObserved(said)}
  </p>
);
