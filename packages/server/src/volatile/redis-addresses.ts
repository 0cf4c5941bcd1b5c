// REDIS_URL may name several nodes of a Cluster: redis://user:password@host:port,host:port

/** One URL for each host, all with the user and password. Other texts are returned as they are. */
export function redisAddresses(text: string): string[] {
  const [, start = '', hosts = '', end = ''] =
    /^(rediss?:\/\/(?:[^/]*@)?)([^/?#]*)(.*)$/.exec(text) ?? [];
  return start === '' ? [text] : hosts.split(',').map((host) => start + host + end);
}
