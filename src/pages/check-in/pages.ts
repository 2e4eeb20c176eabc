import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type CheckInPage, openCheckIn } from '../../domain/messaging/check-ins/check-in-page.ts';
import { receiveAnswers } from '../../domain/monitoring/patient-answers.ts';
import { readInput } from '../../http/input.ts';
import { unknownLink } from '../failure-pages.ts';
import type { PageDeps } from '../page-deps.ts';
import { visitorOf } from '../visitor.ts';
import { readForm } from './form.ts';
import { checkInView } from './view.ts';

const KIND = 'check_in';
const params = z.object({ token: z.string() });
const HIDDEN = { schema: { hide: true } };

/** The pages of a check-in: the questions, and the submission of answers. */
export function checkInPages(app: FastifyInstance, { unitOfWork }: PageDeps): void {
  app.get('/c/:token', HIDDEN, async (request, reply) => {
    const { visitor, address } = visitOf(request);
    const visit = await unitOfWork.read(visitor, (db, caller) => openCheckIn(db, caller, visitor.link, new Date()));
    if (!visit) throw unknownLink();
    return send(reply.code(isPast(visit) ? 410 : 200), checkInView(visit, address));
  });

  app.post('/c/:token', HIDDEN, async (request, reply) => {
    const { visitor, address } = visitOf(request);
    const values = readForm(request.body);
    const answer = await unitOfWork.write(visitor, (db, caller) => receiveAnswers(db, caller, visitor.link, values, new Date()), {
      signal: request.deadline.signal,
    });
    if (!answer) throw unknownLink();
    if (answer.outcome === 'saved') return reply.redirect(address, 303);
    if (answer.outcome === 'closed')
      return send(reply.code(isPast(answer.visit) ? 410 : 409), checkInView(answer.visit, address, { again: true }));
    return send(reply.code(422), checkInView(answer.visit, address, { form: { values, errors: answer.errors } }));
  });
}

function visitOf(request: FastifyRequest) {
  const { token } = readInput(params, request.params);
  return { visitor: visitorOf(request, token, KIND), address: `/c/${token}` };
}

const isPast = ({ state }: CheckInPage): boolean => state === 'expired' || state === 'over';

const send = (reply: FastifyReply, page: string): FastifyReply => reply.type('text/html; charset=utf-8').send(page);
