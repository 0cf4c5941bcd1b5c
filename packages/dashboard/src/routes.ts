// Every screen: one line each, sorted by path. A screen is loaded when it is visited.
import { inWorkspace, open, personal, type ScreenRoute } from './screen-route.ts';

export const screens: readonly ScreenRoute[] = [
  inWorkspace('$', () => import('./shell/not-found.tsx')),
  inWorkspace('$env/explain', () => import('./screens/explain/screen.tsx')),
  inWorkspace('$env/secret-keys', () => import('./screens/secret-keys/screen.tsx')),
  inWorkspace('audit', () => import('./screens/audit/screen.tsx')),
  inWorkspace('audit/$seq', () => import('./screens/audit/screen.tsx')),
  inWorkspace('members', () => import('./screens/members/screen.tsx')),
  open('forgot-password', () => import('./screens/forgot-password/screen.tsx')),
  open('reset-password', () => import('./screens/reset-password/screen.tsx')),
  open('sign-in', () => import('./screens/sign-in/screen.tsx')),
  open('sign-up', () => import('./screens/sign-up/screen.tsx')),
  open('verify-email', () => import('./screens/verify-email/screen.tsx')),
  personal('workspaces', () => import('./screens/workspaces/screen.tsx')),
  personal('workspaces/new', () => import('./screens/new-workspace/screen.tsx')),
];
