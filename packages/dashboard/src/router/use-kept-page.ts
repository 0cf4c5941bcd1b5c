// Asks before the user leaves the page, within the application or, through the browser's own
// prompt, for another site.
import { useEffect } from 'react';
import { keepPage } from './location.ts';

/** `asks` returns true to stay. `warns`: the browser asks before the whole page is unloaded. */
export function useKeptPage(asks: () => boolean, warns: boolean): void {
  useEffect(() => keepPage(asks));
  useEffect(() => {
    if (!warns) return;
    const warn = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [warns]);
}
