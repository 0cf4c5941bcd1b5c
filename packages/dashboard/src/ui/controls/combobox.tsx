// A field for choosing one of many objects by searching. Its library is loaded when the browser is
// idle.
import { lazy, Suspense, useRef } from 'react';
import { loadChunk } from '../../load-chunk.ts';
import type { ComboboxProps } from './combobox-popup.tsx';
import { Input } from './input.tsx';

const load = () => import('./combobox-popup.tsx');
const ComboboxPopup = lazy(async () => ({ default: (await loadChunk(load)).ComboboxPopup }));

export const preloadCombobox = load;

/**
 * Until the library has loaded, shows a plain input that ignores Enter. The typed text and focus
 * are kept.
 */
export function Combobox(props: ComboboxProps) {
  const hasFocus = useRef(false);
  const plain = (
    <Input
      {...props.control}
      value={props.text}
      placeholder={props.placeholder}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
      onChange={({ target }) => props.onText(target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.preventDefault();
      }}
    />
  );
  return (
    <Suspense fallback={plain}>
      <ComboboxPopup {...props} takesFocus={hasFocus} />
    </Suspense>
  );
}
