// Requests an explanation. Bypasses the cache, because a cache entry would contain the full key.
import type { Answer, CallInput } from '@keyrail/client';
import { useCallback, useRef, useState } from 'react';
import { useSend } from '../../api/query.ts';

/** A change that would make the key work. */
export type Fix =
  | { act: 'enable' }
  | { act: 'extend' }
  | { act: 'addScopes'; scopes: readonly string[] };

export type Explanation = Answer<'POST /v1/keys/explain'>;
export type Question = CallInput<'POST /v1/keys/explain'>['body'];

type Asked = {
  explanation: Explanation | null;
  /** The route's required scopes, as entered when this explanation was requested. */
  scopes: readonly string[];
  error: Error | null;
  isPending: boolean;
};

const NOTHING: Asked = { explanation: null, scopes: [], error: null, isPending: false };

export function useExplain(): Asked & { ask(question: Question): void } {
  const [asked, setAsked] = useState(NOTHING);
  const sending = useRef<AbortController>(null);
  const send = useRef(useSend());
  const ask = useCallback((question: Question) => {
    sending.current?.abort();
    const controller = new AbortController();
    sending.current = controller;
    const { signal } = controller;
    const scopes = question.scopes ?? [];
    setAsked((before) => ({ ...before, isPending: true }));
    send.current('POST /v1/keys/explain', { body: question, signal }).then(
      (explanation) => !signal.aborted && setAsked({ ...NOTHING, explanation, scopes }),
      (error: unknown) =>
        !signal.aborted &&
        setAsked({ ...NOTHING, error: error instanceof Error ? error : new Error(String(error)) }),
    );
  }, []);
  return { ...asked, ask };
}
