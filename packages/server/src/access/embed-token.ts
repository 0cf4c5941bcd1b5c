// Embed tokens of the vendor's customers. None has been signed yet, so none is valid.
import { ApiError } from '../base/errors.ts';
import type { Principal } from './principal.ts';

export const embedPrincipal = (_token: string): Promise<Principal> =>
  Promise.reject(new ApiError('invalid_embed_token'));
