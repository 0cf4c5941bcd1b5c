// A menu of actions that opens from a button. Its library is loaded when the browser is idle. A
// menu is only created when its button is first used, because a list may contain hundreds of these
// buttons.
import { cloneElement, type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { loadChunk } from '../../load-chunk.ts';
import { IconButton } from '../controls/icon-button.tsx';
import type { MenuProps } from './menu-popup.tsx';

const load = () => import('./menu-popup.tsx');
const MenuPopup = lazy(async () => ({ default: (await loadChunk(load)).MenuPopup }));

export const preloadMenu = load;

export function Menu(props: MenuProps) {
  const [isUsed, setUsed] = useState(false);
  const { button, label } = props;
  const use = () => setUsed(true);
  // If the user clicks before the library has loaded, the menu opens once it has.
  const waiting = {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: use,
    onKeyDown: ({ key }: KeyboardEvent) => key === 'ArrowDown' && use(),
  } as const;
  const dots = <IconButton icon="more" label={label} {...waiting} />;
  if (!button && !isUsed) return dots;
  return (
    <Suspense fallback={button ? cloneElement(button, waiting) : dots}>
      <MenuPopup {...props} opensAtOnce={isUsed} />
    </Suspense>
  );
}
