// Information about the deployment itself, for clients that show a sign-in page.
import { endpoints } from '../endpoint.ts';
import { Deployment } from '../objects/deployment.ts';

export const deploymentEndpoints = endpoints({
  'GET /v1/deployment': {
    auth: 'none',
    summary: "Read the deployment's version and public settings",
    description:
      'Needs no credential. Lets a sign-up page find out the minimum password length and whether ' +
      'emails are actually delivered.',
    answers: { 200: Deployment },
  },
});
