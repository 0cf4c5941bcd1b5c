// Shows its content to signed-in users only. Others are sent to the sign-in page and return
// afterwards.
import { type ReactNode, useState } from 'react';
import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { useAddress } from '../router/location.ts';
import { hrefOf } from '../router/search-text.ts';
import { GoTo } from './go-to.tsx';

export function Guard({ children }: { children: ReactNode }) {
  const { status } = useSession();
  if (status === 'asking') return null;
  return status === 'out' ? <ToSignIn /> : children;
}

function ToSignIn() {
  const { pathname, search } = useAddress();
  // Stores the current URL, because it changes while the sign-in page loads.
  const [href] = useState(() => `${hrefOf(pathname, search)}${location.hash}`);
  return <GoTo href={hrefOf(paths.signIn, href === paths.home ? {} : { next: href })} />;
}
