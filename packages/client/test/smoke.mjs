// Run by tests/packages with the package installed, using its ESM build. Prints the results as one
// line of JSON.
import { createClient, KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import run from './smoke.cjs';

console.log(JSON.stringify(await run({ createClient, KeyrailError, KeyrailUnreachable })));
