// Liveness, readiness, status and public signing keys. Unversioned and open to everyone.
import { endpoints } from '../endpoint.ts';
import { Health, Jwks, Ready, Status, Unready } from '../objects/probes.ts';

export const probeEndpoints = endpoints({
  'GET /healthz': {
    auth: 'none',
    summary: 'Liveness',
    description: 'Touches nothing outside the server.',
    answers: { 200: Health },
  },
  'GET /readyz': {
    auth: 'none',
    summary: 'Readiness',
    description: 'Obtains a database connection, or gives up after about three seconds.',
    answers: { 200: Ready, 503: Unready },
  },
  'GET /status': {
    auth: 'none',
    summary: 'Status of every component and of the last restore test',
    answers: { 200: Status },
  },
  'GET /.well-known/jwks.json': {
    auth: 'none',
    summary: 'Public keys that verify embed tokens',
    description: 'A new key is published here before any token is signed with it.',
    answers: { 200: Jwks },
  },
});
