// The token from an emailed link. It is in the fragment, which no server sees, and is removed from
// the address before anything else runs. It is kept in memory until a screen has used it.

const TOKEN = /^#token=([\w.~-]+)$/;

let token: string | null = null;

export function takeToken(): void {
  // Opening a second link in the same tab changes only the fragment.
  addEventListener('hashchange', () => TOKEN.test(location.hash) && location.reload());
  const found = TOKEN.exec(location.hash)?.[1];
  if (found === undefined) return;
  token = found;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}

export const oneTimeToken = (): string | null => token;
