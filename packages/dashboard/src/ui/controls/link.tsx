// A link within the application. Its screen is preloaded when the pointer rests on it. Links don't
// subscribe to the URL, so that a new filter doesn't render every link in a long list again.
import type { AnchorHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react';
import { navigate, preload } from '../../router/location.ts';
import { hrefOf } from '../../router/search-text.ts';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'target'> & {
  to: string;
  search?: Readonly<Record<string, string>>;
  replace?: boolean;
  /** Keeps the scroll position, for example when opening a sheet. */
  keepsScroll?: boolean;
  children: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
};

const NO_SEARCH: Readonly<Record<string, string>> = {};
const REST_MS = 50;

export function Link({
  to,
  search = NO_SEARCH,
  replace = false,
  keepsScroll = false,
  ...rest
}: Props) {
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    rest.onClick?.(event);
    if (event.defaultPrevented || opensElsewhere(event)) return;
    event.preventDefault();
    void navigate(to, { search, replaces: replace, keepsScroll });
  };
  let resting: ReturnType<typeof setTimeout> | undefined;
  return (
    <a
      {...rest}
      href={hrefOf(to, search)}
      onClick={go}
      onFocus={(event) => {
        rest.onFocus?.(event);
        preload(to);
      }}
      onPointerEnter={(event) => {
        rest.onPointerEnter?.(event);
        resting = setTimeout(preload, REST_MS, to);
      }}
      onPointerLeave={(event) => {
        rest.onPointerLeave?.(event);
        clearTimeout(resting);
      }}
    />
  );
}

/** Whether the click opens the link in a new tab or window, or downloads it. */
const opensElsewhere = (event: MouseEvent): boolean =>
  event.button !== 0 || event.metaKey || event.altKey || event.ctrlKey || event.shiftKey;
