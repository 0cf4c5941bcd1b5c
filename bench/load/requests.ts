// Requests as bytes, built once and sent many times.

export type Request = {
  method: string;
  path: string;
  token?: string;
  body?: object;
  headers?: Readonly<Record<string, string>>;
};

/** Builds one complete HTTP/1.1 request, as the load generator writes it to its sockets. */
export function requestText({ method, path, token, body, headers = {} }: Request): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1'];
  if (token !== undefined) lines.push(`authorization: Bearer ${token}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(content)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${content}`;
}

export const getRequest = (path: string, token?: string): string =>
  requestText({ method: 'GET', path, ...(token === undefined ? {} : { token }) });

export const createSecretKeyRequest = (token: string): string =>
  requestText({
    method: 'POST',
    path: '/v1/secret_keys',
    token,
    body: { env: 'live', name: 'Nightly import', meta: { team: 'billing' } },
  });
