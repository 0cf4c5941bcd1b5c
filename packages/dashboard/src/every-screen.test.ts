// Laws of every registered screen: it opens cold and reloaded, and keeps no secret.
import { test } from 'node:test';
import { walkAll } from '../test/every-screen.ts';

test('every screen opens cold and reloaded, and keeps no secret', walkAll);
