// One node for all routes of the program, because a module is loaded once.
import { createKeyrail } from '@keyrail/sdk';
import { options } from '../settings.ts';

export const keyrail = createKeyrail(options);
