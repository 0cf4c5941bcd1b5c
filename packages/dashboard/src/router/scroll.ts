// Stores the scroll position of each history entry, so that Back can restore it. The browser itself
// would restore it too early, before the screen is rendered.

const STORED = 'keyrail.scroll';

/** Scroll positions by history index. */
let tops: (number | null)[] = [];

export function startScroll(): void {
  tops = stored();
  addEventListener('pagehide', () => {
    // Lets the browser restore the scroll position after a reload or a return from another site.
    history.scrollRestoration = 'auto';
    try {
      sessionStorage.setItem(STORED, JSON.stringify(tops));
    } catch {
      // If the browser blocks storage, Back returns to the top of the page.
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

/**
 * Forgets the positions of history entries from `index` onwards. Called when a new entry replaces
 * them.
 */
export const forgetScrollFrom = (index: number): void => {
  tops = tops.slice(0, index);
};
