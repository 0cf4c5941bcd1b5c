// Which parts of a string are treated as secrets, and how they are shortened.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { looksSecret, withoutSecrets } from './secret-texts.ts';

const BODY = 'AbCdEf0123456789AbCdEf0123456789AbCdEf01';

test('a credential anywhere in a string is removed, except for its display prefix', () => {
  const cut: Record<string, string> = {
    [`kr_live_${BODY}`]: 'kr_live_AbCdEf',
    [`my key kr_test_${BODY}!`]: 'my key kr_test_AbCdEf!',
    [`Bearer kr_live_${BODY}`]: 'kr_live_AbCdEf',
    [`bearer+krsk_live_${BODY}`]: 'krsk_live_AbCdEf',
    [`q=krses_${BODY}&x=1`]: 'q=krses_AbCdEf&x=1',
    [`KR_LIVE_${BODY}`]: 'KR_LIVE_AbCdEf',
    whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw: 'whsec_',
    'Authorization: Bearer  sk_of_another_product': 'Authorization: Bearer',
    'q=Bearer%20short&limit=8': 'q=Bearer&limit=8',
  };
  deepEqual(Object.keys(cut).map(withoutSecrets), Object.values(cut));
  deepEqual(Object.keys(cut).filter(looksSecret), Object.keys(cut));
  deepEqual(Object.values(cut).filter(looksSecret), [], 'shortened text contains no secret');
});

test('prefixes, names and IDs are not shortened', () => {
  const plain = ['kr_live_', 'kr_live_AbCdEf', 'krsk_test_AbCdEf', 'Acme', 'whsec_', 'Bearer', ''];
  for (const text of plain) equal(withoutSecrets(text), text);
});
