// Asks before the user leaves the page for another page of the application or, using the browser's
// own prompt, for another site.
import { useEffect } from 'react';
import { keepPage } from './location.ts';

/**
 * If `asks` returns true, the page stays. With `warns`, the browser asks before it unloads the
 * page.
 */
export function useKeptPage(asks: () => boolean, warns: boolean): void {
  useEffect(() => keepPage(asks));
  useEffect(() => {
    if (!warns) return;
    const warn = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [warns]);
}
