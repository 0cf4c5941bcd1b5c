// The command palette's state: whether it is open, and which commands and sources have been added
// by screens.
import { useEffect, useRef } from 'react';
import { createObserved } from '../api/observed.ts';
import type { IconName } from '../ui/controls/icon.tsx';

export type Command = {
  id: string;
  label: string;
  /** Shown next to the label, such as a prefix or a workspace name. */
  note?: string;
  icon: IconName;
  /** Additional words that match the command. */
  words?: string;
  run(): void;
};

/**
 * Returns results for the typed text, such as a command for each key with a matching name. If the
 * text changes before the results arrive, they are ignored.
 */
export type Source = (text: string, signal: AbortSignal) => Promise<readonly Command[]>;

export const paletteIsOpen = createObserved(false);
export const openPalette = (): void => paletteIsOpen.set(true);
export const closePalette = (): void => paletteIsOpen.set(false);

export const paletteSources = createObserved<readonly Source[]>([]);

/** Adds a source of results while the component is mounted. */
export function usePaletteSource(source: Source): void {
  const latest = useRef(source);
  latest.current = source;
  useEffect(() => {
    const mine: Source = (text, signal) => latest.current(text, signal);
    paletteSources.set([...paletteSources.get(), mine]);
    return () => paletteSources.set(paletteSources.get().filter((one) => one !== mine));
  }, []);
}
