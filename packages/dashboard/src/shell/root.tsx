// What every page has: the screen, and above it the parts of the whole application.
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useObserved } from '../api/observed.ts';
import { useSession } from '../api/session.ts';
import { loadChunk } from '../load-chunk.ts';
import { preloadCombobox } from '../ui/combobox.tsx';
import { preloadMenu } from '../ui/menu.tsx';
import { Toasts } from '../ui/toast.tsx';
import { EndedDialog } from './ended-dialog.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { closePalette, paletteIsOpen } from './palette-state.ts';
import { RevealHost } from './reveal.tsx';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadChunk(loadPalette)).Palette }));
const loadShortcuts = () => import('./shortcuts.tsx');
const Shortcuts = lazy(async () => ({ default: (await loadChunk(loadShortcuts)).Shortcuts }));

export function Root() {
  const { status } = useSession();
  const isOpen = useObserved(paletteIsOpen);
  useEffect(preloadWhenIdle, []);
  useEffect(() => {
    // What one person typed is not for the next.
    if (status === 'out') closePalette();
  }, [status]);
  if (status === 'asking') return null;
  return (
    <>
      <Outlet />
      <Suspense fallback={null}>
        {status === 'in' && <Shortcuts />}
        {isOpen && <Palette />}
      </Suspense>
      <RevealHost />
      <EndedDialog />
      <OfflineBar />
      <Toasts />
    </>
  );
}

/** The libraries of menus, comboboxes and the palette, before anyone needs them. */
function preloadWhenIdle(): void {
  const load = () =>
    void Promise.all([preloadMenu(), preloadCombobox(), loadPalette()]).catch(() => null);
  if ('requestIdleCallback' in window) requestIdleCallback(load);
  else setTimeout(load, 1000);
}
