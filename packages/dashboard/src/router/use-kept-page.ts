// Asks for confirmation before the user leaves the page. If the user goes to another site, the
// browser shows its own prompt.
import { useEffect } from 'react';
import { keepPage } from './location.ts';

/**
 * `asks` is called before the user goes to another page of the application, and returns true to
 * prevent that. If `warns` is true, the browser asks before it unloads the page.
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
