// Shows a key's state as a shape and a word.
import { type KeyState as StateName, workingKeyStates } from '@keyrail/protocol/wire/key-states.ts';
import { useEffect, useRef } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { rereadKeys } from '../../api/reread.ts';
import { en } from '../../texts/en.ts';
import { isUnused, keyStateText, type StatedKey } from './key-state-text.ts';
import { type Shape, State, type Tone } from './state.tsx';
import { useTextOfNow } from './time.tsx';

const looks: Readonly<Record<StateName, { tone: Tone; shape: Shape }>> = {
  revoked: { tone: 'bad', shape: 'cross' },
  quarantined: { tone: 'bad', shape: 'triangle' },
  disabled: { tone: 'dim', shape: 'pause' },
  expired: { tone: 'dim', shape: 'ring' },
  expiring: { tone: 'warn', shape: 'clock' },
  active: { tone: 'good', shape: 'full' },
};

/** `isRotated` is true if another key has replaced this one. */
export function KeyState({ of, isRotated = false }: { of: StatedKey; isRotated?: boolean }) {
  const { state } = of;
  const { tone, shape } = looks[state];
  // Only the text is compared, so that each tick of the clock renders only the keys whose text has
  // changed.
  const text = useTextOfNow((nowMs) => keyStateText(of, nowMs, isRotated));
  const unused = useTextOfNow((nowMs) =>
    workingKeyStates.includes(state) && isUnused(of, nowMs) ? en.keyStates.unused : '',
  );
  useRereadAtEnd(of);
  return (
    <State tone={tone} shape={state === 'expiring' && isRotated ? 'half' : shape} note={unused}>
      {text}
    </State>
  );
}

/**
 * Reloads the keys when this one expires on screen, because its new state has to come from the
 * server.
 */
function useRereadAtEnd({ state, expires_at }: StatedKey): void {
  const endsMs = state === 'expiring' && expires_at !== null ? Date.parse(expires_at) : Infinity;
  const isOver = useTextOfNow((nowMs) => String(endsMs <= nowMs)) === 'true';
  // If the browser's clock is ahead, a key may look expired as soon as it is shown. Such a key
  // isn't reloaded.
  const wasOver = useRef(isOver);
  useEffect(() => {
    if (isOver && !wasOver.current) void rereadKeys(queryClient);
    wasOver.current = isOver;
  }, [isOver]);
}
