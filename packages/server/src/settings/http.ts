// Settings for requests and their responses.
import { isAddressBlock } from '@keyrail/protocol/wire/address-block.ts';
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
    meaning: 'Comma-separated addresses of proxies whose x-forwarded-for is trusted.',
    fallback: 'off',
    parse: (text): string[] | false => {
      if (text === 'off') return false;
      const addresses = text.split(',').map((part) => part.trim());
      if (!addresses.every(isAddressBlock))
        throw new Fault('must be off, or a list of IP addresses and ranges');
      return addresses;
    },
  },
} satisfies Group;
