// Limits the memory used by bodies from unknown senders, because endpoints that don't require a
// credential read a body before the sender has been authenticated. From the moment the request's
// headers arrive until its body is complete, the body counts as its declared length, or as the
// maximum length if none is declared.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../../base/errors.ts';

const OPEN_BODIES_BYTES_MAX = 67_108_864;
/**
 * The fraction of the space reserved for small bodies, so that large leak reports cannot prevent
 * sign-ins.
 */
const SMALL_SHARE = 0.5;
const SMALL_BYTES_MAX = 16_384;

export type OpenBodies = {
  /**
   * Throws a 503 if the unfinished bodies of other requests leave too little space for this one.
   */
  expect(request: FastifyRequest, reply: FastifyReply, bytesMax: number): void;
};

export function createOpenBodies(totalMax = OPEN_BODIES_BYTES_MAX): OpenBodies {
  let total = 0;
  return {
    expect({ raw, headers }, reply, bytesMax) {
      // A body longer than this is rejected by its length alone; a body of unknown length is
      // rejected once it exceeds the limit.
      const bytes = Math.min(Number(headers['content-length'] ?? bytesMax), bytesMax);
      const most = bytesMax <= SMALL_BYTES_MAX ? totalMax : totalMax * SMALL_SHARE;
      if (total + bytes > most) throw unavailable(new Error('too many unfinished request bodies'));
      total += bytes;
      let isOver = false;
      const over = () => {
        if (!isOver) total -= bytes;
        isOver = true;
      };
      raw.once('end', over);
      reply.raw.once('close', over);
    },
  };
}
