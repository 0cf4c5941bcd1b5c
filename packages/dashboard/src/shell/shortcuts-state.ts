// Whether the list of shortcuts is open, and whether single-letter shortcuts are turned on.
import { createObserved } from '../api/observed.ts';

export const shortcutsAreOpen = createObserved(false);
export const openShortcuts = (): void => shortcutsAreOpen.set(true);

const STORED = 'keyrail.letters';

const stored = (): boolean => {
  try {
    return localStorage.getItem(STORED) !== 'off';
  } catch {
    return true;
  }
};

export const lettersWork = createObserved(stored());

export function setLetters(isOn: boolean): void {
  lettersWork.set(isOn);
  try {
    localStorage.setItem(STORED, isOn ? 'on' : 'off');
  } catch {
    // If the browser blocks storage, the choice lasts until the page is reloaded.
  }
}
