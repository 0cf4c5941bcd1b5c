// Plain HTTP is fine on one machine. Over a network everybody on the way can read the credential.

const LOOPBACK = /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

/** Whether a credential that is sent to this address can be read on its way. */
export function isUnencrypted(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
