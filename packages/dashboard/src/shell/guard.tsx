// Lets only signed-in users pass. Others go to the sign-in page and come back afterwards.
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { GoTo } from './go-to.tsx';
import { parseSearch, stringifySearch } from './search.ts';

export function Guard({ children }: { children: ReactNode }) {
  const { status } = useSession();
  if (status === 'asking') return null;
  return status === 'out' ? <ToSignIn /> : children;
}

function ToSignIn() {
  const router = useRouter();
  // The URL at this moment: it changes while the sign-in page is loaded.
  const [href] = useState(() => {
    const { pathname, search, hash } = router.history.location;
    return `${pathname}${stringifySearch(parseSearch(search))}${hash}`;
  });
  const next = href === paths.home ? '' : stringifySearch({ next: href });
  return <GoTo href={`${paths.signIn}${next}`} />;
}
