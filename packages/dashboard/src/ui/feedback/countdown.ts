// Counts down the seconds until the user may try again after a rate limit was exceeded.
import { KeyrailError } from '@keyrail/client';
import { useEffect, useState } from 'react';

export function useWaitSeconds(error: Error | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const ms = error instanceof KeyrailError ? (error.retryAfterMs ?? 0) : 0;
    setLeft(Math.ceil(ms / 1000));
  }, [error]);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}
