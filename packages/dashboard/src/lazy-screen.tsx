// A screen whose code is loaded when the screen is shown, or preloaded when the pointer rests on a
// link to it. A failed preload has no effect until the user follows the link.
import { type ComponentType, type ReactNode, Suspense, use } from 'react';
import { loadChunk } from './load-chunk.ts';
import { SkeletonRows } from './ui/feedback/skeleton.tsx';

type Loaded = (() => ReactNode) & { preload(): Promise<void> };

export function lazyScreen(load: () => Promise<{ Screen: ComponentType }>): Loaded {
  let screen: ComponentType | undefined;
  let shown: Promise<void> | undefined;
  const once = async () => {
    screen ??= (await load()).Screen;
  };
  const Known = () => {
    if (!screen) {
      shown ??= loadChunk(once);
      use(shown);
    }
    const Screen = screen;
    return Screen && <Screen />;
  };
  // While the screen loads, its frame stays visible, including the bar shown when the server is
  // down.
  const Shown = () => (
    <Suspense fallback={<SkeletonRows />}>
      <Known />
    </Suspense>
  );
  return Object.assign(Shown, { preload: () => once().catch(() => {}) });
}
