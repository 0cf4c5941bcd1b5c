// Settings for requests and their responses.
import { addressBlockFlaw } from '@keyrail/protocol/wire/address-block.ts';
import { plainText } from './parsers.ts';
import { Fault, type Group } from './setting.ts';

export const http = {
  region: {
    name: 'KEYRAIL_REGION',
    meaning: 'Region name shown in health endpoint responses.',
    fallback: 'local',
    parse: plainText,
  },
  trustProxy: {
    name: 'KEYRAIL_TRUST_PROXY',
    meaning:
      'Comma-separated addresses and CIDR blocks of proxies whose x-forwarded-for is trusted.',
    fallback: 'off',
    parse: (text): string[] | false => {
      if (text === 'off') return false;
      const blocks = text.split(',').map((part) => part.trim());
      for (const block of blocks) {
        const flaw = addressBlockFlaw(block);
        if (flaw !== null)
          throw new Fault(`must be off, or IP addresses and CIDR blocks ("${block}" ${flaw})`);
      }
      return blocks;
    },
  },
} satisfies Group;
