// Liveness, readiness, status and public signing keys. Their paths have no version, and they need
// no credential.
import { endpoints } from '../endpoint.ts';
import { Health, Jwks, Ready, Status, Unready } from '../objects/probes.ts';

export const probeEndpoints = endpoints({
  'GET /healthz': {
    auth: 'none',
    summary: 'Liveness',
    description:
      'Shows that the process is running: restart it if this fails. Contacts neither the ' +
      'database nor Redis.',
    answers: { 200: Health },
  },
  'GET /readyz': {
    auth: 'none',
    summary: 'Readiness',
    description:
      'Shows whether to send requests to this process. Waits about 3 seconds at most for a ' +
      'database connection.',
    answers: { 200: Ready, 503: Unready },
  },
  'GET /status': {
    auth: 'none',
    summary: 'Status of every component and the last restore test',
    description:
      'For people and dashboards: always 200, with the state of each component, such as ' +
      '`degraded` or `down`.',
    answers: { 200: Status },
  },
  'GET /.well-known/jwks.json': {
    auth: 'none',
    summary: 'Public keys for verifying what the deployment signs',
    description:
      'For verifiers outside Keyrail. A new key is published here before it signs anything. Keys ' +
      'for embed tokens are listed until their last token has expired, keys for receipts for ' +
      'more than a year after they were retired, and keys for anchors permanently.',
    answers: { 200: Jwks },
  },
});
