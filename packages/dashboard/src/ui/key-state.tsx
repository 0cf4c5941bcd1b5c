// The state of a key as shape and word.
import { en } from '../texts/en.ts';
import { isUnused, keyState, type StatedKey } from './key-state-facts.ts';
import { State } from './state.tsx';
import { useNow } from './time.tsx';

/** `isRotated`: another key names this one in `rotated_from`. */
export function KeyState({ of, isRotated = false }: { of: StatedKey; isRotated?: boolean }) {
  const now = useNow();
  const { tone, shape, text } = keyState(of, now, isRotated);
  const isEnded = tone === 'dim' || of.revoked_at !== null;
  return (
    <State tone={tone} shape={shape} note={!isEnded && isUnused(of, now) && en.keyStates.unused}>
      {text}
    </State>
  );
}
