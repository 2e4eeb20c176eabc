import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import { openBookingPage } from '../../../domain/scheduling/patient-booking/booking-page.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { asksForCode } from '../../links/locked-links.ts';
import { requireVisitor } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';
import { ACTIONS } from './actions.ts';
import { findStep, steps } from './steps.ts';
import { bookingView } from './view.ts';

const params = z.object({ token: z.string() });

/** The pages of a booking link: choosing a type, a day and a time, the visit, and the time that is offered. */
export function bookingPages(app: FastifyInstance, { unitOfWork, ...deps }: PageDeps): void {
  const options = { preHandler: asksForCode({ ...deps, unitOfWork }, 'b') };

  app.get('/b/:token', options, async (request, reply) => {
    const { visitor, address } = readVisitorLink(request);
    const chosen = steps.parse(request.query);
    const found = await unitOfWork.read(visitor, async (tx) => {
      const page = await openBookingPage(tx, visitor.link);
      return page && { page, step: await findStep(tx, page, chosen) };
    });
    if (!found) throw unknownLink();
    const { page, step } = found;
    if (page.isOver) reply.code(410);
    const language = pageLanguage(request, { reader: page.patientLanguage, practice: page.practice.language });
    const lost = chosen.hold !== undefined && step.at !== 'confirm' && page.visit === null ? 'over' : null;
    return reply.type('text/html; charset=utf-8').send(bookingView(page, { address, language, news: chosen.news ?? lost }, step));
  });

  for (const [name, read] of Object.entries(ACTIONS))
    app.post(`/b/:token/${name}`, options, async (request, reply) => {
      const { visitor, address } = readVisitorLink(request);
      const prepared = read(request.body);
      if (!prepared) return reply.redirect(address, 303);
      const write = unitOfWork.write(visitor, (tx) => prepared.act(tx, visitor.link), { signal: request.deadline.signal });
      const query = await write.catch((error: unknown) => {
        if (!(error instanceof Failure) || (error.kind !== 'conflict' && error.kind !== 'not_found')) throw error;
        if (error.code === 'link_not_found') throw unknownLink();
        return prepared.otherwise;
      });
      return reply.redirect(`${address}${query}`, 303);
    });
}

function readVisitorLink(request: FastifyRequest) {
  const { token } = readInput(params, request.params);
  return { visitor: requireVisitor(request, token, 'booking_link'), address: `/b/${token}` };
}
