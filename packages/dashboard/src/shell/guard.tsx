// Lets only signed-in users pass. Others go to the sign-in page and come back afterwards.
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
  // The URL at this moment: it changes while the sign-in page is loaded.
  const [href] = useState(() => `${hrefOf(pathname, search)}${location.hash}`);
  return <GoTo href={hrefOf(paths.signIn, href === paths.home ? {} : { next: href })} />;
}
