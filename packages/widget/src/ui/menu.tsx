// A row's menu. It is in the top layer, so nothing on the page can cut it off.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

export type MenuEntry = {
  label: string;
  icon: IconName;
  isDanger?: boolean;
  /** Why the entry is disabled. */
  because?: string | null;
  onChoose(): void;
};

const GAP_PX = 4;

export function Menu({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        type="button"
        part="button"
        class="button bare"
        ref={button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" />
      </button>
      {isOpen && (
        <MenuPopup
          label={label}
          entries={entries}
          button={button.current}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

type PopupProps = {
  label: string;
  entries: readonly MenuEntry[];
  button: HTMLElement | null;
  onClose(): void;
};

function MenuPopup({ label, entries, button, onClose }: PopupProps) {
  const popup = usePopup(button, onClose);
  const choose = ({ because, onChoose }: MenuEntry) => {
    if (because) return;
    onClose();
    // Focus moves to the button first, so that the next dialog returns focus to the button.
    button?.focus();
    onChoose();
  };
  return (
    <div ref={popup} popover="manual" role="menu" aria-label={label} class="menu">
      {entries.map((entry) => (
        <button
          key={entry.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={entry.isDanger ? 'menu-item danger' : 'menu-item'}
          aria-disabled={entry.because ? true : undefined}
          onClick={() => choose(entry)}
        >
          <Icon name={entry.icon} />
          <span>
            {entry.label}
            {entry.because && <small>{entry.because}</small>}
          </span>
        </button>
      ))}
    </div>
  );
}

function usePopup(button: HTMLElement | null, onClose: () => void) {
  const popup = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const element = popup.current;
    if (!element || !button) return;
    element.showPopover();
    place(element, button);
    itemsOf(element)[0]?.focus();
    const pressOutside = (event: Event) => {
      const path = event.composedPath();
      if (!path.includes(element) && !path.includes(button)) close.current();
    };
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Tab') close.current();
      if (!walk(event, itemsOf(element))) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== 'Escape') return;
      close.current();
      button.focus();
    };
    // The menu only closes if its button has moved, because the event may belong to a scroll that
    // ended before the menu opened.
    const opened = button.getBoundingClientRect();
    const follow = () => {
      const { left, top } = button.getBoundingClientRect();
      if (left !== opened.left || top !== opened.top) close.current();
      else place(element, button);
    };
    document.addEventListener('pointerdown', pressOutside, true);
    element.addEventListener('keydown', press);
    addEventListener('resize', follow);
    addEventListener('scroll', follow, true);
    return () => {
      document.removeEventListener('pointerdown', pressOutside, true);
      element.removeEventListener('keydown', press);
      removeEventListener('resize', follow);
      removeEventListener('scroll', follow, true);
    };
  }, [button]);
  return popup;
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role=menuitem]'),
];

/** Moves focus between entries. Returns true if the menu handles the key that was pressed. */
function walk({ key }: KeyboardEvent, items: readonly HTMLElement[]): boolean {
  const at = items.findIndex((item) => item.matches(':focus'));
  const last = items.length - 1;
  const to: Record<string, number> = {
    ArrowDown: at === last ? 0 : at + 1,
    ArrowUp: at <= 0 ? last : at - 1,
    Home: 0,
    End: last,
  };
  const next = to[key];
  if (next !== undefined) items[next]?.focus();
  return next !== undefined || key === 'Escape';
}

/**
 * Places the menu below the button, or above it if there isn't enough room. The end edges of the
 * menu and the button are aligned.
 */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const isLeftward = getComputedStyle(button).direction === 'ltr';
  const wanted = isLeftward ? at.right - width : at.left;
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(GAP_PX, Math.min(wanted, clientWidth - width - GAP_PX));
  const isBelow = at.bottom + GAP_PX + height <= clientHeight || at.top < height;
  const top = isBelow ? at.bottom + GAP_PX : at.top - height - GAP_PX;
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
