// node-20.test.ts compiles this file as a vendor would, as CommonJS.
import sdk = require('@keyrail/sdk');

export const make = (options: sdk.KeyrailOptions): sdk.Keyrail => sdk.createKeyrail(options);
// @ts-expect-error the state of a node is not a number
export const state = (keyrail: sdk.Keyrail): number => keyrail.state();
