// The theme: the system's, light or dark. The choice is kept in local storage, because it belongs
// to the browser and not to a user.

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const STORED = 'keyrail.theme';

const isTheme = (value: string | null): value is Theme => themes.some((one) => one === value);

/** Accessing local storage throws if the browser forbids it. */
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

/** Shows the stored theme, now and whenever the system or another tab changes it. */
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
    // The choice then lasts as long as the page.
  }
  show(theme);
}
