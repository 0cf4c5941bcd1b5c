// The same through the ESM build.
import { createClient, KeyrailError, KeyrailUnreachable } from '@keyrail/client';
import run from './smoke.cjs';

console.log(JSON.stringify(await run({ createClient, KeyrailError, KeyrailUnreachable })));
