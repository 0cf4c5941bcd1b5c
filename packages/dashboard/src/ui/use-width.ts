// The width of an element, as it changes.
import { type RefObject, useLayoutEffect, useState } from 'react';

export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    setWidth(Math.floor(element.current.getBoundingClientRect().width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
