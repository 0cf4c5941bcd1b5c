// Sessions of signed-in people. None has been issued yet, so none is valid.
import { ApiError } from '../base/errors.ts';
import type { Principal } from './principal.ts';

export const sessionPrincipal = (_token: string): Promise<Principal> =>
  Promise.reject(new ApiError('invalid_session'));
