// Settings for the secrets that an embedded deployment generates: see generated-secrets.ts.
import { Secret } from '../base/secret.ts';
import { secretIf } from './parsers.ts';
import { Fault, type Group } from './setting.ts';

const BOOTSTRAP_CHARS_MIN = 32;
const MASTER_KEY_BYTES = 32;

export const secrets = {
  bootstrapToken: {
    name: 'KEYRAIL_BOOTSTRAP_TOKEN',
    meaning:
      'Token for creating workspaces. If unset, embedded mode generates one in the data directory.',
    fallback: null,
    isSecret: true,
    parse: (text) => {
      const isLong = text.length >= BOOTSTRAP_CHARS_MIN;
      if (!isLong) throw new Fault(`must have at least ${BOOTSTRAP_CHARS_MIN} characters`);
      if (!/^[\x21-\x7e]+$/.test(text)) throw new Fault('must be printable ASCII without spaces');
      if (/^kr(sk|ses)?_/.test(text)) throw new Fault('must not look like a Keyrail key');
      return new Secret(text);
    },
  },
  masterKey: {
    name: 'KEYRAIL_MASTER_KEY',
    meaning:
      'Encrypts stored secrets and responses: 32 bytes in base64. Required with DATABASE_URL.',
    fallback: null,
    isSecret: true,
    parse: (text) => {
      // Buffer.from skips characters outside base64, so it would accept a key in quotes.
      const isKey =
        /^[\w+/-]+=?$/.test(text) && Buffer.from(text, 'base64').length === MASTER_KEY_BYTES;
      return secretIf(isKey, text, 'must be 32 bytes in base64');
    },
  },
} satisfies Group;
