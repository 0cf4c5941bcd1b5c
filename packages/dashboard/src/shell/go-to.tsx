// Redirects to another page of this application, for example after signing in.
import { useEffect } from 'react';
import { navigate } from '../router/location.ts';

export function GoTo({ href }: { href: string }) {
  useEffect(() => void navigate(href, { replaces: true }), [href]);
  return null;
}
