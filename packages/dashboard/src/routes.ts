// Every screen: one line each, sorted by path. A screen is loaded when it is visited.
import { inWorkspace, open, personal, type ScreenRoute } from './screen-route.ts';

export const screens: readonly ScreenRoute[] = [
  inWorkspace('$', () => import('./shell/not-found.tsx')),
  inWorkspace('$env/keys', () => import('./screens/keys/screen.tsx')),
  inWorkspace('$env/keys/$keyId', () => import('./screens/key/screen.tsx')),
  inWorkspace('$env/keys/new', () => import('./screens/new-key/screen.tsx')),
  inWorkspace('$env/nodes', () => import('./screens/nodes/screen.tsx')),
  inWorkspace('$env/overview', () => import('./screens/overview/screen.tsx')),
  inWorkspace('$env/projects', () => import('./screens/projects/screen.tsx')),
  inWorkspace('$env/projects/$project', () => import('./screens/project/screen.tsx')),
  inWorkspace('$env/tenants', () => import('./screens/tenants/screen.tsx')),
  inWorkspace('$env/tenants/$id', () => import('./screens/tenant/screen.tsx')),
  inWorkspace('$env/usage', () => import('./screens/usage/screen.tsx')),
  open('accept-invite', () => import('./screens/accept-invite/screen.tsx')),
  personal('account', () => import('./screens/account/screen.tsx')),
  inWorkspace('embed', () => import('./screens/embed/screen.tsx')),
  open('forgot-password', () => import('./screens/forgot-password/screen.tsx')),
  open('reset-password', () => import('./screens/reset-password/screen.tsx')),
  inWorkspace('settings', () => import('./screens/settings/screen.tsx')),
  open('sign-in', () => import('./screens/sign-in/screen.tsx')),
  open('sign-up', () => import('./screens/sign-up/screen.tsx')),
  inWorkspace('start', () => import('./screens/start/screen.tsx'), 'test'),
  open('system', () => import('./screens/system/screen.tsx')),
  open('verify-email', () => import('./screens/verify-email/screen.tsx')),
  personal('workspaces', () => import('./screens/workspaces/screen.tsx')),
  personal('workspaces/new', () => import('./screens/new-workspace/screen.tsx')),
];
