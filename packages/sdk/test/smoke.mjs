// The same through the ESM build.
import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/node';
import { createTestKeyrail } from '@keyrail/sdk/testing';
import run from './smoke.cjs';

console.log(JSON.stringify(await run({ createKeyrail, createTestKeyrail, protect })));
