// A key's state as shape and word.
import { en } from '../texts/en.ts';
import { type Shape, State, type Tone } from './content/state.tsx';
import { useTextOfNow } from './content/time.tsx';
import { isUnused, keyState, type StatedKey } from './key-state-facts.ts';

/** `isRotated`: this key is the `rotated_from` of another. */
export function KeyState({ of, isRotated = false }: { of: StatedKey; isRotated?: boolean }) {
  // The state as text, so that a clock tick renders only keys whose state changes.
  const stated = useTextOfNow((nowMs) => {
    const { tone, shape, text } = keyState(of, nowMs, isRotated);
    const isEnded = tone === 'dim' || of.revoked_at !== null;
    return JSON.stringify([tone, shape, text, !isEnded && isUnused(of, nowMs)]);
  });
  const [tone, shape, text, isNoted]: [Tone, Shape, string, boolean] = JSON.parse(stated);
  return (
    <State tone={tone} shape={shape} note={isNoted && en.keyStates.unused}>
      {text}
    </State>
  );
}
