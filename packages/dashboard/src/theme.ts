// The theme: system, light or dark. The choice is kept in local storage, because it belongs to the
// browser rather than the user.

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const STORED = 'keyrail.theme';

const isTheme = (value: string | null): value is Theme => themes.some((one) => one === value);

/** Accessing local storage throws if the browser blocks it. */
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

/** Applies the stored theme, and applies it again whenever the system or another tab changes it. */
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
    // Without storage, the choice lasts until the page is reloaded.
  }
  show(theme);
}
