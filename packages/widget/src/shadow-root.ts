// Creates the element's shadow root. All elements share one style sheet. A base element inside the
// shadow root keeps typing in an input from triggering the page's shortcuts.
import css from './style/style.css';

const TYPED_IN = 'input[type=text]';

let sheet: CSSStyleSheet | undefined;

export function openRoot(element: HTMLElement): HTMLElement {
  const shadow = element.attachShadow({ mode: 'open', delegatesFocus: false });
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  shadow.adoptedStyleSheets = [sheet];
  const root = document.createElement('div');
  root.className = 'base';
  // Outside the shadow root, a key press seems to come from the custom element instead of an input,
  // so the page would treat typed letters as shortcuts.
  for (const name of ['keydown', 'keypress', 'keyup']) {
    root.addEventListener(name, (event) => {
      if (event.target instanceof HTMLElement && event.target.matches(TYPED_IN)) {
        event.stopPropagation();
      }
    });
  }
  shadow.append(root);
  return root;
}
