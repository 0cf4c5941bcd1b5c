// The token from an emailed link. It is in the URL's fragment, which browsers never send to a
// server, and is removed from the address bar before any other code runs. It stays in memory until
// a screen uses it.

const TOKEN = /^#token=([\w.~-]+)$/;

let token: string | null = null;

export function takeToken(): void {
  // Opening a second link in the same tab changes only the fragment, so the page has to be
  // reloaded.
  addEventListener('hashchange', () => TOKEN.test(location.hash) && location.reload());
  const found = TOKEN.exec(location.hash)?.[1];
  if (found === undefined) return;
  token = found;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}

export const oneTimeToken = (): string | null => token;
