import { z } from 'zod';
import { listGrantedPractices } from '../../domain/practices/granted-practices.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { nextLink, pageLinkShapes, paging, previousLink } from './paging.ts';
import { fromPractice, PracticeInformation } from './practice-info.wire.ts';

export function practiceInfoRoutes(endpoints: Endpoints): void {
  const { get } = endpoints.group({ tag: 'Practice information' });
  get('/practiceinfo', {
    operationId: 'listPracticeInformation',
    summary: 'List the practices granted to the client',
    description: 'The practice in the path may be any of the caller’s.',
    query: z.object(paging),
    response: z.strictObject({
      totalcount: z.int().describe('Number of practices in the whole list'),
      ...pageLinkShapes,
      practiceinfo: z.array(PracticeInformation).describe('The practices of this page'),
    }),
    handle: async ({ tx, query, request }) => {
      const { items, total } = await listGrantedPractices(tx, query);
      const end = query.offset + query.limit;
      return {
        totalcount: total,
        next: end < total ? nextLink(request, { offset: end }) : undefined,
        previous: previousLink(request, query, total),
        practiceinfo: items.map(fromPractice),
      };
    },
  });
  get('/ping', {
    operationId: 'getPing',
    beyondDocument: true,
    summary: 'Read whether the token and practice are valid',
    description: 'Used by public clients.',
    response: z.strictObject({ pong: z.literal(true).describe('Always true') }),
    handle: async () => ({ pong: true as const }),
  });
}
