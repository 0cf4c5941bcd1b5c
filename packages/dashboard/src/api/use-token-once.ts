// Uses the token from an emailed link exactly once, when the linked page is shown.
import { useEffect, useRef } from 'react';
import { oneTimeToken } from './one-time-token.ts';

type Use = (input: { body: { token: string } }) => void;

/** Returns the token, or null if the page was opened without one. */
export function useTokenOnce(use: Use): string | null {
  const token = oneTimeToken();
  const isUsed = useRef(false);
  useEffect(() => {
    if (token === null || isUsed.current) return;
    isUsed.current = true;
    use({ body: { token } });
  }, [token, use]);
  return token;
}
