// Settings for the audit log.
import { isAbsolute } from 'node:path';
import type { AnchorPlaceSetting } from '../features/audit/anchor-places.ts';
import { Fault, type Group, type ValuesOf } from './setting.ts';

const PLACES_MAX = 4;

export const audit = {
  auditAnchors: {
    name: 'KEYRAIL_AUDIT_ANCHORS',
    meaning:
      'Additional destinations for audit anchors, comma-separated: absolute file paths or https: URLs.',
    fallback: null,
    // Treated as a secret, because a URL may contain a credential.
    isSecret: true,
    parse: (text) => {
      const places = text.split(',').map((part) => placeIn(part.trim()));
      if (places.length > PLACES_MAX)
        throw new Fault(`must list at most ${PLACES_MAX} destinations`);
      return places;
    },
  },
} satisfies Group;

export const auditOf = ({ auditAnchors }: ValuesOf<typeof audit>) => ({
  auditAnchors: auditAnchors ?? [],
});

function placeIn(text: string): AnchorPlaceSetting {
  if (text.startsWith('https://') && URL.canParse(text)) return { kind: 'url', url: text };
  if (isAbsolute(text) && !text.endsWith('/')) return { kind: 'file', path: text };
  throw new Fault('must contain absolute file paths or https: URLs, separated by commas');
}
