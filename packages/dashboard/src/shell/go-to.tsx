// Replaces the page with another one of this application, as after signing in.
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

export function GoTo({ href }: { href: string }) {
  const { history } = useRouter();
  useEffect(() => history.replace(href), [history, href]);
  return null;
}
