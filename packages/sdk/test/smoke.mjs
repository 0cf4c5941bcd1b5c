// Run by node-20.test.ts next to the built package, through the ESM build; prints the result as one
// line of JSON.
import { createKeyrail } from '@keyrail/sdk';
import { protect } from '@keyrail/sdk/node';
import { createTestKeyrail } from '@keyrail/sdk/testing';
import run from './smoke.cjs';

console.log(JSON.stringify(await run({ createKeyrail, createTestKeyrail, protect })));
