// REDIS_URL may list several nodes of a Cluster: redis://user:password@host:port,host:port

/**
 * Returns one URL per host, each with the user and password. Any other text is returned unchanged.
 */
export function redisAddresses(text: string): string[] {
  const [, start = '', hosts = '', end = ''] =
    /^(rediss?:\/\/(?:[^/]*@)?)([^/?#]*)(.*)$/.exec(text) ?? [];
  return start === '' ? [text] : hosts.split(',').map((host) => start + host + end);
}
