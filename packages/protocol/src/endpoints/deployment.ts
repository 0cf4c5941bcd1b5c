// The deployment as a whole, for clients that show a sign-in page.
import { endpoints } from '../endpoint.ts';
import { Deployment } from '../objects/deployment.ts';

export const deploymentEndpoints = endpoints({
  'GET /v1/deployment': {
    auth: 'none',
    summary: 'Read the version and public settings of the deployment',
    description:
      'Needs no credential. A sign-up page reads the minimum length of passwords here, and ' +
      'whether mails reach anyone.',
    answers: { 200: Deployment },
  },
});
