// tests/packages compiles this file as a user would, as CommonJS.
import keyrail = require('@keyrail/client');

const client: keyrail.Client = keyrail.createClient({ url: 'https://keys.example.com' });
export const status = (): Promise<keyrail.Answer<'GET /status'>> => client.server.status();
// @ts-expect-error the session needs a body
void client.sessions.create();
