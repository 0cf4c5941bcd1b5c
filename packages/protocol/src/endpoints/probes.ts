// Liveness, readiness, status and public signing keys. Unversioned, and without a credential.
import { endpoints } from '../endpoint.ts';
import { Health, Jwks, Ready, Status, Unready } from '../objects/probes.ts';

export const probeEndpoints = endpoints({
  'GET /healthz': {
    auth: 'none',
    summary: 'Liveness',
    description: 'Contacts neither the database nor Redis.',
    answers: { 200: Health },
  },
  'GET /readyz': {
    auth: 'none',
    summary: 'Readiness',
    description: 'Waits at most about three seconds for a database connection.',
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
    description: 'A new key is published here before it signs its first token.',
    answers: { 200: Jwks },
  },
});
