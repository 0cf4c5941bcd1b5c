// NestJS on its Express platform.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteOptions } from '../decision.ts';
import type { Keyrail } from '../parts.ts';
import { checkRoute } from '../route.ts';
import { patternOf } from './express.ts';
import { contextOf } from './granted.ts';
import { sendAnswer, watchAnswer } from './node-answer.ts';
import { nodeCall } from './node-call.ts';

/** What of Nest's execution context is used here. */
export type NestExecution = {
  switchToHttp(): { getRequest<T>(): T; getResponse<T>(): T };
};

export type NestGuard = { canActivate(execution: NestExecution): Promise<boolean> };

/** The answer is given. To go on in any way would have Nest give a second one. */
const answered = () => new Promise<never>(() => {});

/**
 * A guard that lets only admitted requests through; `request.keyrail` is the key behind them.
 *
 * @example
 * @Get('invoices')
 * @UseGuards(protect(keyrail, { scopes: ['invoices:read'] }))
 * list(@Req() request: Request) {
 *   return { tenant: request.keyrail.tenantId };
 * }
 */
export function protect(keyrail: Pick<Keyrail, 'admit'>, route: RouteOptions = {}): NestGuard {
  checkRoute(route);
  return {
    canActivate: async (execution) => {
      const http = execution.switchToHttp();
      const request = http.getRequest<object>();
      const response = http.getResponse<object>();
      if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) {
        throw new TypeError('protect guards HTTP handlers on the Express platform.');
      }
      const admission = await keyrail.admit(nodeCall(request, patternOf(request)), route);
      if (admission.kind !== 'admitted') {
        sendAnswer(response, admission);
        return answered();
      }
      Object.assign(request, { keyrail: contextOf(admission) });
      return watchAnswer(response, admission) || answered();
    },
  };
}
