// Search and choose one of many. Its library is loaded when the browser is idle.
import { lazy, Suspense } from 'react';
import type { ComboboxProps } from './combobox-popup.tsx';
import { Input } from './input.tsx';

const load = () => import('./combobox-popup.tsx');
const ComboboxPopup = lazy(async () => ({ default: (await load()).ComboboxPopup }));

export const preloadCombobox = load;

export const Combobox = (props: ComboboxProps) => (
  <Suspense fallback={<Input {...props.control} defaultValue={props.text} />}>
    <ComboboxPopup {...props} />
  </Suspense>
);
