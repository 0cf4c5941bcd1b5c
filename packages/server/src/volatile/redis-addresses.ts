// REDIS_URL may list several nodes of a Cluster: redis://user:password@host:port,host:port

/** One URL for each host, all with the user and password. Any other text is returned as it is. */
export function redisAddresses(text: string): string[] {
  const [, start = '', hosts = '', end = ''] =
    /^(rediss?:\/\/(?:[^/]*@)?)([^/?#]*)(.*)$/.exec(text) ?? [];
  return start === '' ? [text] : hosts.split(',').map((host) => start + host + end);
}
