// How far each history entry was scrolled, so that Back leads to the same position. The browser
// restores it too early: before the screen is drawn.

const STORED = 'keyrail.scroll';

/** By the index of the entry. */
let tops: (number | null)[] = [];

export function startScroll(): void {
  tops = stored();
  addEventListener('pagehide', () => {
    // After a reload or a return from another site, the browser restores it.
    history.scrollRestoration = 'auto';
    try {
      sessionStorage.setItem(STORED, JSON.stringify(tops));
    } catch {
      // Back then leads to the top of a page.
    }
  });
}

function stored(): (number | null)[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]');
  } catch {
    return [];
  }
}

export function rememberScroll(index: number): void {
  history.scrollRestoration = 'manual';
  tops[index] = scrollY;
}

export const scrollOf = (index: number): number => tops[index] ?? 0;

/** A new entry replaces those after the one it follows. */
export const forgetScrollFrom = (index: number): void => {
  tops = tops.slice(0, index);
};
