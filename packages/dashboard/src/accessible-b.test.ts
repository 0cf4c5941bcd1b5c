// A third of the registered screens: no violation in both themes at three widths, and no sideways
// scrolling at 320 px.
import { test } from 'node:test';
import { axeShare } from '../test/every-screen.ts';

test('screens are accessible, part b', (t) => axeShare(t, 1, 3));
