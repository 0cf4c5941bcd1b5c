// Signatures of the policy feed: HTTP Message Signatures (RFC 9421) over a digest of the body (RFC
// 9530). The server and the SDK build the signed text with the same functions.

/** The purpose of keys that sign the feed. No other signatures use it. */
export const FEED_PURPOSE = 'policy_feed';

/**
 * The label of the signature in `Signature-Input` and `Signature`. Both headers may contain other
 * signatures.
 */
export const FEED_LABEL = 'keyrail';

/** What a signature covers. The target is the request's path and query, as sent. */
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

/** The covered components and the parameters, as in Signature-Input. */
export const signatureParams = (
  { digest }: Pick<SignedAnswer, 'digest'>,
  { created, kid }: Signer,
): string =>
  `${digest === null ? BODILESS : WITH_BODY};created=${created};keyid="${kid}";alg="ed25519"`;

const PARAMS = /^(\(.*\));created=(\d{1,11});keyid="([\w-]{1,100})";alg="ed25519"$/;

/** Reads the parameters; null unless they cover exactly what a response of this kind must cover. */
export function readSignatureParams(
  text: string,
  { digest }: Pick<SignedAnswer, 'digest'>,
): Signer | null {
  const [, covered, created, kid = ''] = PARAMS.exec(text) ?? [];
  const expected = digest === null ? BODILESS : WITH_BODY;
  return covered === expected ? { created: Number(created), kid } : null;
}

/** The text that is signed: one line for each component, then the parameters. */
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
