// Lets only signed-in people pass. Others go to the sign-in page and come back afterwards.
import { Navigate, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';

export function Guard({ children }: { children: ReactNode }) {
  const { status } = useSession();
  const { href } = useLocation();
  if (status === 'asking') return null;
  if (status !== 'out') return children;
  return <Navigate to={paths.signIn} search={href === paths.home ? {} : { next: href }} replace />;
}
