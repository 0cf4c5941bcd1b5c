// The root of the application: the page, and the dialogs and menus that can cover it.
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useObserved } from '../api/observed.ts';
import { useSession } from '../api/session.ts';
import { loadChunk } from '../load-chunk.ts';
import { onLeaving } from '../router/location.ts';
import { preloadCombobox } from '../ui/controls/combobox.tsx';
import { Announcements } from '../ui/feedback/announce.tsx';
import { Toasts } from '../ui/feedback/toast.tsx';
import { preloadMenu } from '../ui/overlays/menu.tsx';
import { keepFocus } from './focus.ts';
import { Keyboard } from './keyboard.ts';
import { OfflineBar } from './offline-bar.tsx';
import { closePalette, paletteIsOpen } from './palette-state.ts';
import { RevealHost } from './reveal.tsx';
import { shortcutsAreOpen } from './shortcuts-state.ts';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await loadChunk(loadPalette)).Palette }));
const loadEndedDialog = () => import('./ended-dialog.tsx');
const EndedDialog = lazy(async () => ({
  default: (await loadChunk(loadEndedDialog)).EndedDialog,
}));
const loadShortcuts = () => import('./shortcuts.tsx');
const Shortcuts = lazy(async () => ({ default: (await loadChunk(loadShortcuts)).Shortcuts }));

export function Root({ children }: { children: ReactNode }) {
  const state = useSession();
  const { status } = state;
  const isOpen = useObserved(paletteIsOpen);
  const isListOpen = useObserved(shortcutsAreOpen);
  useEffect(preloadWhenIdle, []);
  useEffect(keepFocus, []);
  // Dialogs and menus close when the user leaves the page that opened them.
  useEffect(() => onLeaving(closeOverlays), []);
  useEffect(() => {
    // The next user must not see what the previous user typed.
    if (status === 'out') closePalette();
  }, [status]);
  if (status === 'asking') return null;
  return (
    <>
      <OfflineBar />
      {children}
      {status === 'in' && <Keyboard />}
      {/* Each dialog has its own Suspense boundary. If they shared one, loading the code of one
          dialog would hide the others, and a hidden dialog loses focus. */}
      <Suspense fallback={null}>{isOpen && <Palette />}</Suspense>
      <Suspense fallback={null}>{isListOpen && <Shortcuts />}</Suspense>
      <Suspense fallback={null}>
        {state.status === 'ended' && <EndedDialog email={state.session.email} />}
      </Suspense>
      <RevealHost />
      <Toasts />
      <Announcements />
    </>
  );
}

function closeOverlays(): void {
  closePalette();
  shortcutsAreOpen.set(false);
}

/** Preloads the code for everything that can cover a page. */
function preloadWhenIdle(): void {
  const loads = [preloadMenu, preloadCombobox, loadPalette, loadShortcuts, loadEndedDialog];
  const load = () => void Promise.all(loads.map((one) => one())).catch(() => null);
  if ('requestIdleCallback' in window) requestIdleCallback(load);
  else setTimeout(load, 1000);
}
