// A link inside the application: no reload, and its screen is loaded when the pointer rests on it.
import { Link as RouterLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'target'> & {
  to: string;
  search?: Readonly<Record<string, string>>;
  replace?: boolean;
  /** Leaves the page where it is scrolled, as for a sheet over it. */
  keepsScroll?: boolean;
  children: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
};

export const Link = ({ search = {}, replace = false, keepsScroll = false, ...props }: Props) => (
  <RouterLink
    {...props}
    search={search}
    replace={replace}
    resetScroll={!keepsScroll}
    activeProps={{}}
  />
);
