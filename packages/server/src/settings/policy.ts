// Settings of the policy feed.
import { wholeNumber } from './parsers.ts';
import type { Setting } from './setting.ts';

export const heldPollsMax: Setting<number> = {
  name: 'KEYRAIL_HELD_POLLS',
  meaning: 'Maximum policy polls that a process holds per workspace; more are answered at once.',
  fallback: '2000',
  parse: (text) => wholeNumber(text, 1, 50_000),
};
