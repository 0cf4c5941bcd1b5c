// A menu of actions behind a button. Its library is loaded when the browser is idle.
import { lazy, Suspense } from 'react';
import { loadChunk } from '../load-chunk.ts';
import { IconButton } from './icon-button.tsx';
import type { MenuProps } from './menu-popup.tsx';

const load = () => import('./menu-popup.tsx');
const MenuPopup = lazy(async () => ({ default: (await loadChunk(load)).MenuPopup }));

export const preloadMenu = load;

export const Menu = (props: MenuProps) => (
  <Suspense fallback={props.button ?? <IconButton icon="more" label={props.label} />}>
    <MenuPopup {...props} />
  </Suspense>
);
