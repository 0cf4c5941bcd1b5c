// Settings for the address the server listens on, and the URL at which clients reach it.
import { hostText, wholeNumber } from './parsers.ts';
import { Fault, type Group } from './setting.ts';

export const listening = {
  host: {
    name: 'KEYRAIL_HOST',
    meaning: 'Address to listen on.',
    fallback: '127.0.0.1',
    parse: hostText,
  },
  port: {
    name: 'KEYRAIL_PORT',
    alias: 'PORT',
    meaning: 'Port to listen on; 0 picks any free port. If unset, PORT is used, if that is set.',
    fallback: '4400',
    parse: (text) => wholeNumber(text, 0, 65_535),
  },
  /** If null, the URL is built from the host and port, once the port is known. */
  publicUrl: {
    name: 'KEYRAIL_PUBLIC_URL',
    meaning: "The server's public base URL, used in emails and tokens. Default: host and port.",
    fallback: null,
    parse: (text) => {
      const isOrigin = /^https?:\/\/[^\s/?#@\\]+$/.test(text) && URL.canParse(text);
      if (!isOrigin) throw new Fault('must be http(s)://host[:port]');
      return text;
    },
  },
} satisfies Group;
