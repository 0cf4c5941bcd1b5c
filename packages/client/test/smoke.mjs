// Run by tests/packages next to the installed package, through its ESM build. Prints one line of
// JSON with the results.
import { createClient, KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import run from './smoke.cjs';

console.log(JSON.stringify(await run({ createClient, KeyrailError, KeyrailUnreachable })));
