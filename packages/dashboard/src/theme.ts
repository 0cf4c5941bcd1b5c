// The theme: system, light or dark. The choice is kept in local storage, so it applies to this
// browser and not to the user's account.

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const STORED = 'keyrail.theme';

const isTheme = (value: string | null): value is Theme => themes.some((one) => one === value);

/** Returns "system" if the browser blocks local storage, because accessing it then throws. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    return isTheme(stored) ? stored : 'system';
  } catch {
    return 'system';
  }
}

const systemIsDark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

function show(theme: Theme): void {
  const isDark = theme === 'dark' || (theme === 'system' && systemIsDark().matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

/** Applies the stored theme now, and again whenever the system or another tab changes the theme. */
export function applyTheme(): void {
  const again = () => show(storedTheme());
  again();
  systemIsDark().addEventListener('change', again);
  addEventListener('storage', ({ key }) => {
    if (key === STORED) again();
  });
}

export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // If the browser blocks storage, the choice lasts until the page is reloaded.
  }
  show(theme);
}
