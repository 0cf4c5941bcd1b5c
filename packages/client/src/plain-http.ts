// Plain HTTP is fine on one machine. Over a network, anyone on the route can read the credential.

const LOOPBACK = /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

/** Whether a credential sent to this URL can be read in transit. */
export function isUnencrypted(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
