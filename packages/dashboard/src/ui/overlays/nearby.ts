// When an element is removed, finds a nearby element that can receive focus.

const FOCUSABLE =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex="0"]';

/** The search for a nearby element stays within the closest ancestor that matches this selector. */
const EDGES = 'main, dialog, aside, header, [role=status], body';

type Step = { parent: Element; next: Element | null; previous: Element | null };

/**
 * Remembers where an element is. The returned function returns the element or, if it has been
 * removed, the control nearest to where it was.
 */
export function placeOf(element: HTMLElement): () => HTMLElement | null {
  const steps: Step[] = [];
  for (let at: Element = element; at.parentElement && !at.matches(EDGES); at = at.parentElement) {
    const {
      parentElement: parent,
      nextElementSibling: next,
      previousElementSibling: previous,
    } = at;
    steps.push({ parent, next, previous });
  }
  return () => (isThere(element) ? element : nearest(steps)) ?? heading();
}

export const isThere = (element: HTMLElement): boolean =>
  element !== document.body &&
  element.isConnected &&
  !element.matches(':disabled') &&
  element.checkVisibility();

function nearest(steps: readonly Step[]): HTMLElement | null {
  for (const { next, previous, parent } of steps) {
    for (const near of [next, previous, parent]) {
      const control = near?.isConnected && controlIn(near);
      if (control) return control;
      if (near === parent && near.isConnected && near.matches(EDGES)) return null;
    }
  }
  return null;
}

const controlIn = (near: Element): HTMLElement | null =>
  near instanceof HTMLElement && near.matches(FOCUSABLE) && isThere(near)
    ? near
    : (controlsIn(near)[0] ?? null);

/**
 * The controls inside an element, in tab order. For a group of radio buttons, only the selected one
 * is included.
 */
export const controlsIn = (element: Element): HTMLElement[] =>
  [...element.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (one) => one.tabIndex >= 0 && isThere(one) && !one.matches('[type=radio]:not(:checked)'),
  );

/** The heading of the topmost open dialog, or of the page if no dialog is open. */
function heading(): HTMLElement | null {
  const part = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  return part.querySelector<HTMLElement>('h1, h2[tabindex]') ?? part.querySelector('main, input');
}
