// Policy feed signatures: HTTP Message Signatures (RFC 9421) over a digest of the body (RFC 9530).
// The server and the SDK use the same functions to build the signed text.

/** The purpose of the keys that sign the feed. Nothing else is signed with them. */
export const FEED_PURPOSE = 'policy_feed';

/**
 * Identifies Keyrail's signature in `Signature-Input` and `Signature`, which may also contain other
 * signatures.
 */
export const FEED_LABEL = 'keyrail';

/** The parts of a response that are signed. The target is the request's path and query, as sent. */
type SignedAnswer = {
  status: number;
  /** The value of Content-Digest; null for a response without a body. */
  digest: string | null;
  etag: string;
  target: string;
};

type Signer = { created: number; kid: string };

const REQUEST = '"@path";req "@query";req';
const WITH_BODY = `("@status" "content-digest" "etag" ${REQUEST})`;
const BODILESS = `("@status" "etag" ${REQUEST})`;

/**
 * Returns the list of signed components and the signature's parameters, as in `Signature-Input`.
 */
export const signatureParams = (
  { digest }: Pick<SignedAnswer, 'digest'>,
  { created, kid }: Signer,
): string =>
  `${digest === null ? BODILESS : WITH_BODY};created=${created};keyid="${kid}";alg="ed25519"`;

const PARAMS = /^(\(.*\));created=(\d{1,11});keyid="([\w-]{1,100})";alg="ed25519"$/;

/**
 * Reads a signature's parameters. Returns null unless the signature covers exactly the components
 * required for this response.
 */
export function readSignatureParams(
  text: string,
  { digest }: Pick<SignedAnswer, 'digest'>,
): Signer | null {
  const [, covered, created, kid = ''] = PARAMS.exec(text) ?? [];
  const expected = digest === null ? BODILESS : WITH_BODY;
  return covered === expected ? { created: Number(created), kid } : null;
}

/** The text to sign: one line per component, then the parameters. */
export function signatureBase(
  { status, digest, etag, target }: SignedAnswer,
  params: string,
): string {
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, '?'] : [target.slice(0, at), target.slice(at)];
  const body = digest === null ? '' : `"content-digest": ${digest}\n`;
  return (
    `"@status": ${status}\n${body}"etag": ${etag}\n` +
    `"@path";req: ${path}\n"@query";req: ${query}\n"@signature-params": ${params}`
  );
}
