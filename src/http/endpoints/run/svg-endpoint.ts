import { z } from 'zod';
import type { CustomEndpoint, None, ReadEndpoint, ReadInput } from '../endpoint-types.ts';
import { readParts } from './input-parts.ts';

const SVG = 'image/svg+xml';
/** A picture that is opened by itself may use the style sheet in it, and loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

interface SvgEndpoint<P extends z.ZodType, Q extends z.ZodType>
  extends Omit<ReadEndpoint<P, Q, None, None>, 'scope' | 'roles' | 'handle' | 'response' | 'etag'> {
  params: P;
  query: Q;
  /** @returns the picture */
  draw: (input: ReadInput<P, Q, None>) => Promise<string>;
}

/** A GET that responds with a picture in SVG. */
export function picture<P extends z.ZodType, Q extends z.ZodType>(endpoint: SvgEndpoint<P, Q>): CustomEndpoint {
  const { draw, ...documented } = endpoint;
  return {
    ...documented,
    response: z.string(),
    produces: [SVG],
    async respond({ unitOfWork }, request, reply) {
      const parts = readParts<P, Q, None>(endpoint, request, reply);
      const drawing = await unitOfWork.read(request.caller, (db, caller, prepared) => draw({ ...parts, db, caller, prepared }));
      if (reply.sent) return;
      reply.type(`${SVG}; charset=utf-8`).header('content-security-policy', POLICY).send(drawing);
    },
  };
}
