// Keyboard shortcuts for the whole application.
import { useEffect, useRef } from 'react';
import { workspacePageOf } from '../match.ts';
import { navigate, useAddress } from '../router/location.ts';
import { navigation } from './navigation.ts';
import { openPalette, paletteIsOpen } from './palette-state.ts';
import { rememberedEnv } from './scope.ts';
import { lettersWork, openShortcuts } from './shortcuts-state.ts';

const SEQUENCE_MS_MAX = 1000;

export function Keyboard() {
  const { pathname } = useAddress();
  const lastG = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (!paletteIsOpen.get() && !document.querySelector('dialog[open]')) openPalette();
        return;
      }
      if (!isPlainKey(event)) return;
      const followsG = event.timeStamp - lastG.current < SEQUENCE_MS_MAX;
      lastG.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const to = followsG ? target(pathname, event.key) : null;
      if (to !== null) void navigate(to);
      if (to !== null || act(event.key)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [pathname]);
  return null;
}

/**
 * Single-letter shortcuts are off while the user is typing, while a dialog is open, and while a
 * modifier key is held down.
 */
function isPlainKey({
  key,
  target: on,
  metaKey,
  ctrlKey,
  altKey,
  defaultPrevented,
}: KeyboardEvent): boolean {
  if (defaultPrevented || metaKey || ctrlKey || altKey || key.length !== 1) return false;
  if (!lettersWork.get() || document.querySelector('dialog[open]')) return false;
  return !(on instanceof HTMLElement && on.matches('input, select, textarea, [role^=menu]'));
}

function target(pathname: string, letter: string): string | null {
  const page = workspacePageOf(pathname);
  if (page === null) return null;
  const entry = navigation.flat().find((one) => one.letter === letter);
  return entry?.to({ slug: page.slug, env: page.env ?? rememberedEnv() }) ?? null;
}

function act(key: string): boolean {
  if (key === '?') openShortcuts();
  else if (key === '/') return focusFirst('[data-filter-search]');
  else if (key === 'c') return click('[data-create]');
  else if (key === 'j' || key === 'k') return moveRow(key === 'j' ? 1 : -1);
  else return false;
  return true;
}

function focusFirst(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  found?.focus();
  return found !== null;
}

function click(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  found?.click();
  return found !== null;
}

function moveRow(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('[role=table] [data-card=name] a')];
  const at = links.findIndex((link) => link.matches(':focus'));
  links[at === -1 ? 0 : at + step]?.focus();
  return links.length > 0;
}
