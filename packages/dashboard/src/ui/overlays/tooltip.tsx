// Shows a short text next to the hovered or focused element. It is rendered in the top layer, so
// that tables don't cut it off.
import { type ReactNode, useId, useRef } from 'react';
import styles from './tooltip.module.css';

const GAP_PX = 6;
const EDGE_PX = 8;

type Props = {
  text: string;
  /** True if the element's name is the same text, which would otherwise be announced twice. */
  isName?: boolean;
  children: ReactNode;
};

export function Tooltip({ text, isName = false, children }: Props) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  const show = () => {
    const at = anchor.current;
    const box = tip.current;
    if (!at || !box || box.matches(':popover-open')) return;
    box.showPopover();
    place(box, at.getBoundingClientRect());
  };
  const hide = () => {
    if (tip.current?.matches(':popover-open')) tip.current.hidePopover();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches the control inside
    <span
      ref={anchor}
      className={styles.anchor}
      aria-describedby={isName ? undefined : id}
      onPointerEnter={show}
      onPointerLeave={hide}
      // Only opens for keyboard focus, and not after a click or when a dialog moves focus.
      onFocus={({ target }) => target.matches(':focus-visible') && show()}
      onBlur={hide}
      onKeyDown={({ key }) => key === 'Escape' && hide()}
    >
      {children}
      <span ref={tip} id={id} role="tooltip" popover="manual" className={styles.tip}>
        {text}
      </span>
    </span>
  );
}

function place(box: HTMLElement, at: DOMRect): void {
  const { width, height } = box.getBoundingClientRect();
  const above = at.top - height - GAP_PX;
  const left = at.left + (at.width - width) / 2;
  box.style.top = `${above >= EDGE_PX ? above : at.bottom + GAP_PX}px`;
  box.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`;
}
