// Plain HTTP is safe on one machine. Over a network, anyone on the path can read the credential.
// The client package has a copy of this rule, because neither package imports the other.

const LOOPBACK = /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/;

/** Whether a credential sent to this URL can be read on the network. */
export function isInTheOpen(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
