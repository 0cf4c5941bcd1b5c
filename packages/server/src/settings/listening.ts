// Settings of the address that the server listens on.
import { hostText, wholeNumber } from './parsers.ts';
import type { Setting } from './setting.ts';

export const host: Setting<string> = {
  name: 'KEYRAIL_HOST',
  meaning: 'Address to listen on.',
  fallback: '127.0.0.1',
  parse: hostText,
};

export const port: Setting<number> = {
  name: 'KEYRAIL_PORT',
  alias: 'PORT',
  meaning: 'Port to listen on; 0 picks any free port. If unset, PORT is used, if that is set.',
  fallback: '4400',
  parse: (text) => wholeNumber(text, 0, 65_535),
};
