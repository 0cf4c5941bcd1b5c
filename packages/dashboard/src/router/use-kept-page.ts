// Asks before the page is left, inside the application and, by the browser's own question, beyond.
import { useEffect } from 'react';
import { keepPage } from './location.ts';

/** `asks` returns true to stay. `warns`: the browser asks before the whole page goes. */
export function useKeptPage(asks: () => boolean, warns: boolean): void {
  useEffect(() => keepPage(asks));
  useEffect(() => {
    if (!warns) return;
    const warn = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [warns]);
}
