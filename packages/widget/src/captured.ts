// biome-ignore-all lint/suspicious/noShadowRestrictedNames: it replaces them on purpose
// The globals that the widget uses, saved when its script loads. The build makes the whole bundle,
// including libraries, use them instead of the current globals, so that a page that replaces
// globals later does not break the widget. Scripts on the page can still read tokens: they can set
// `transport`, read the open shadow root, or run before this script.
const { globalThis: page } = globalThis;

/** Binds a window function, because it must be called with the window as `this`. */
const bound = <F extends (...args: never[]) => unknown>(own: F | undefined): F =>
  // Undefined when rendered on a server, where nothing calls these functions.
  own?.bind(page) as F;

export const fetch = bound(page.fetch);
export const setTimeout = bound(page.setTimeout);
export const clearTimeout = bound(page.clearTimeout);
export const queueMicrotask = bound(page.queueMicrotask);
export const requestAnimationFrame = bound(page.requestAnimationFrame);
export const cancelAnimationFrame = bound(page.cancelAnimationFrame);
export const addEventListener = bound(page.addEventListener);
export const removeEventListener = bound(page.removeEventListener);
export const getComputedStyle = bound(page.getComputedStyle);

export const {
  AbortController,
  CSSStyleSheet,
  CustomEvent,
  Date,
  Error,
  Headers,
  Intl,
  Map,
  Promise,
  Set,
  TextDecoder,
  URL,
  URLSearchParams,
  Uint8Array,
  crypto,
  customElements,
  document,
  navigator,
  origin,
  performance,
} = page;

const { parse, stringify } = page.JSON;

/**
 * Converts a value to JSON without using an array's `toJSON`. Some old libraries add one that turns
 * arrays into strings.
 */
const written = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const one of value) text += `${text && ','}${written(one)}`;
    return `[${text}]`;
  }
  for (const [name, one] of Object.entries(value)) {
    if (one !== undefined) text += `${text && ','}${stringify(name)}:${written(one)}`;
  }
  return `{${text}}`;
};

export const JSON = { parse, stringify: written };
