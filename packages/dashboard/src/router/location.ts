// The current URL, and the only way to change it. The URL changes immediately, but the previous
// screen stays until the new one has loaded.
import { flushSync } from 'react-dom';
import { createObserved, useObserved } from '../api/observed.ts';
import { forgetScrollFrom, rememberScroll, scrollOf, startScroll } from './scroll.ts';
import { hrefOf, parseSearch, type Search } from './search-text.ts';

export type Address = { pathname: string; search: Search };

type Options = {
  search?: Search;
  /** Replaces the current history entry, so that Back skips it. */
  replaces?: boolean;
  /** Keeps the scroll position, for example when a sheet opens. */
  keepsScroll?: boolean;
};

/** Loads the code of the screen for a path. */
type Loading = (pathname: string) => Promise<void> | undefined;

const shown = createObserved<Address>({ pathname: '/', search: {} });
let load: Loading = () => undefined;
const leaving = new Set<() => void>();

/** The indexes of two history entries: the current one, and the one whose screen is shown. */
let index = 0;
let shownIndex = 0;
let showings = 0;

/** Called before the user leaves the page. Returning true keeps the user there. */
let isKept: (() => boolean) | null = null;
let isReturning = false;

/** The URL of the screen that is shown. */
export const useAddress = (): Address => useObserved(shown);

export function startRouter(loading: Loading): void {
  load = loading;
  startScroll();
  const known = indexIn(history.state);
  if (known === null) forgetScrollFrom(0);
  index = known ?? 0;
  shownIndex = index;
  const { pathname, search } = currentAddress();
  shown.set({ pathname, search });
  history.replaceState({ index }, '', `${hrefOf(pathname, search)}${location.hash}`);
  void load(pathname);
  addEventListener('popstate', onPop);
}

/** Resolves when the screen for the URL is shown. */
export async function navigate(
  to: string,
  { search = {}, replaces = false, keepsScroll = false }: Options = {},
): Promise<void> {
  if (isKept?.()) return;
  const href = hrefOf(to, search);
  rememberScroll(shownIndex);
  if (replaces || href === `${location.pathname}${location.search}`) {
    history.replaceState({ index }, '', href);
  } else {
    index += 1;
    forgetScrollFrom(index);
    history.pushState({ index }, '', href);
  }
  await show(keepsScroll ? null : 0);
}

export const preload = (to: string): void => void load(to);

/**
 * Calls the listener when a different path is requested, before its screen is shown. Open dialogs
 * and menus close at that point. Otherwise, they would prevent the new screen's heading from
 * receiving focus.
 */
export function onLeaving(listener: () => void): () => void {
  leaving.add(listener);
  return () => leaving.delete(listener);
}

/**
 * Until the returned function is called, calls `asks` before the user leaves the page, and keeps
 * the user there if `asks` returns true.
 */
export function keepPage(asks: () => boolean): () => void {
  isKept = asks;
  return () => {
    if (isKept === asks) isKept = null;
  };
}

/**
 * Handles Back, Forward, and links to an anchor on the same page. Such a link adds a history entry
 * that has no index yet.
 */
function onPop(): void {
  if (isReturning) {
    isReturning = false;
    return;
  }
  const next = indexIn(history.state) ?? index + 1;
  if (isKept?.()) {
    isReturning = true;
    history.go(index - next);
    return;
  }
  rememberScroll(shownIndex);
  index = next;
  history.replaceState({ index }, '');
  const { pathname, search } = currentAddress();
  const before = shown.get();
  const isSame = hrefOf(pathname, search) === hrefOf(before.pathname, before.search);
  void show(isSame ? null : scrollOf(index));
}

/** Shows the screen for the current URL and scrolls to `top`, unless `top` is null. */
async function show(top: number | null): Promise<void> {
  showings += 1;
  const mine = showings;
  const address = currentAddress();
  if (address.pathname !== shown.get().pathname) for (const listener of leaving) listener();
  await load(address.pathname);
  // Skipped if another URL has been requested in the meantime.
  if (mine !== showings) return;
  shownIndex = index;
  // Rendered synchronously, so that the page is tall enough to scroll.
  flushSync(() => shown.set(address));
  if (top !== null) scrollTo(0, top);
}

const currentAddress = (): Address => ({
  pathname: withoutSlash(location.pathname),
  search: parseSearch(location.search),
});

const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

const indexIn = (state: unknown): number | null =>
  typeof state === 'object' && state !== null && 'index' in state && typeof state.index === 'number'
    ? state.index
    : null;
