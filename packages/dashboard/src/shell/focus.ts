// Makes sure that focus is never lost. It moves to a new page's heading, to a nearby element when
// the focused element disappears, and to the first invalid field when a submitted form has errors.
import { type RefObject, useEffect, useRef } from 'react';
import { isThere, placeOf } from '../ui/overlays/nearby.ts';

let isFirst = true;

/**
 * Moves focus to the page's heading whenever `place` changes, unless one of the new page's controls
 * already has focus. Does nothing on the first page of a visit, where the browser handles focus
 * correctly.
 */
export function useHeadingFocus(place: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const isNew = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus moves when the place changes
  useEffect(() => {
    const main = heading.current?.closest('main');
    const isTaken = isNew.current && main?.contains(document.activeElement);
    const isCovered = document.querySelector('dialog[open]') !== null;
    if (!isFirst && !isTaken && !isCovered) heading.current?.focus({ preventScroll: true });
    isFirst = false;
    isNew.current = false;
  }, [place]);
  return heading;
}

/**
 * Until the returned function is called, moves focus to a suitable element whenever focus would be
 * lost.
 */
export function keepFocus(): () => void {
  let last: { element: HTMLElement; place(): HTMLElement | null } | null = null;
  let sent: Element | null = null;
  let frame = 0;
  const remember = ({ target }: Event) => {
    if (target instanceof HTMLElement) last = { element: target, place: placeOf(target) };
  };
  const send = ({ target }: Event) => {
    if (target instanceof Element) sent = target;
  };
  const type = () => {
    sent = null;
  };
  const look = () => {
    const field = sent?.querySelector<HTMLElement>('[aria-invalid=true]');
    if (field) sent = null;
    const isLost = document.activeElement === document.body && last && !isThere(last.element);
    (field ?? (isLost ? last?.place() : null))?.focus();
  };
  // Wait one frame, because menus and pages move focus themselves when they open or close.
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame);
    // Drop the reference to a submitted form once the form has been removed from the page, because
    // it may contain a pasted key.
    if (sent && !sent.isConnected) sent = null;
    if (sent || document.activeElement === document.body) frame = requestAnimationFrame(look);
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-invalid', 'disabled', 'hidden'],
  });
  const listeners = [
    ['focusin', remember],
    ['submit', send],
    ['input', type],
  ] as const;
  for (const [name, listener] of listeners) addEventListener(name, listener, true);
  return () => {
    observer.disconnect();
    for (const [name, listener] of listeners) removeEventListener(name, listener, true);
  };
}
