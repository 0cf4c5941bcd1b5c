// Brief messages at the bottom of the page that report results. They never contain secrets, because
// anyone nearby can read them.
import { useEffect, useState } from 'react';
import { createObserved, useObserved } from '../../api/observed.ts';
import { en } from '../../texts/en.ts';
import { IconButton } from '../controls/icon-button.tsx';
import styles from './toast.module.css';

type Toast = { id: number; text: string };

const SHOWN_MS = 6000;
const TOASTS_MAX = 3;

const toasts = createObserved<readonly Toast[]>([]);
let made = 0;

export function toast(text: string): void {
  made += 1;
  toasts.set([...toasts.get(), { id: made, text }].slice(-TOASTS_MAX));
}

/** Closes a dialog after its change, and shows the result in a toast. */
export const thenClose = (onClose: () => void, text: string) => ({
  onSuccess: () => {
    onClose();
    toast(text);
  },
});

const dismiss = (id: number): void => toasts.set(toasts.get().filter((one) => one.id !== id));

export const Toasts = () => (
  <div role="status" className={styles.toasts}>
    {useObserved(toasts).map((one) => (
      <ToastLine key={one.id} {...one} />
    ))}
  </div>
);

function ToastLine({ id, text }: Toast) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stays while it is hovered or focused
    <div
      className={styles.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>{text}</p>
      <IconButton small icon="close" label={en.dismiss} onClick={() => dismiss(id)} />
    </div>
  );
}
