// A benchmark's workspaces, and API calls with their keys.

export type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<Record<string, unknown>>;

/**
 * Returns a function that calls the API with a credential and throws unless the response is a
 * success.
 */
export const createCaller =
  (port: number, token: string): Call =>
  async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'accept-encoding': 'identity',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };

export type Workspace = { id: string; token: string; call: Call };

type Deployment = { port: number; bootstrapToken: string };

/** Creates a workspace. The token is the owner's secret key. */
export async function createWorkspace(
  { port, bootstrapToken }: Deployment,
  slug: string,
): Promise<Workspace> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/workspaces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bootstrapToken}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify({ name: `Bench ${slug}`, slug }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`creating a workspace failed: ${response.status} ${text}`);
  const token: string = JSON.parse(text).secret_key.key;
  const call = createCaller(port, token);
  const { id } = await call('GET', '/v1/workspace');
  return { id: String(id), token, call };
}
