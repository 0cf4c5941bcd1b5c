// The signed-in user and their workspaces.
import type { Answer } from '@keyrail/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useApi } from './query.ts';
import { useSession } from './session.ts';

export type Me = Answer<'GET /v1/auth/me'>;
export type Membership = Me['memberships'][number];

export const useMe = (): UseQueryResult<Me> =>
  useApi('GET /v1/auth/me', {}, { enabled: useSession().status === 'in' });
