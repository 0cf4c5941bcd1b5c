// Requests as bytes, built once and sent many times, and the requests that set up a measurement.

export type Wanted = { method: string; path: string; token?: string; body?: object };

/** One complete HTTP/1.1 request, as the load generator writes it to its sockets. */
export function requestText({ method, path, token, body }: Wanted): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1'];
  if (token !== undefined) lines.push(`authorization: Bearer ${token}`);
  if (body !== undefined) {
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(content)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}

/** Creates a workspace and returns the secret key of its owner. */
export async function foundWorkspace(
  port: number,
  bootstrapToken: string,
  slug: string,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/workspaces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bootstrapToken}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify({ name: `Bench ${slug}`, slug }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`creating a workspace failed: ${answer.status} ${text}`);
  return JSON.parse(text).secret_key.key;
}

export const createSecretKey = (token: string): string =>
  requestText({
    method: 'POST',
    path: '/v1/secret_keys',
    token,
    body: { env: 'live', name: 'Nightly import', meta: { team: 'billing' } },
  });

export const read = (path: string, token?: string): string =>
  requestText({ method: 'GET', path, ...(token === undefined ? {} : { token }) });
