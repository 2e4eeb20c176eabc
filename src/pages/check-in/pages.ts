import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type CheckInPage, openCheckIn } from '../../domain/messaging/check-ins/check-in-page.ts';
import { readAnsweredValues } from '../../domain/monitoring/answered-values.ts';
import { receiveAnswers } from '../../domain/monitoring/patient-answers.ts';
import { readInput } from '../../http/input.ts';
import { unknownLink } from '../failure-pages.ts';
import type { PageDeps } from '../page-deps.ts';
import { pageLanguage } from '../page-language.ts';
import { visitorOf } from '../visitor.ts';
import { readForm } from './form.ts';
import { type CheckInView, checkInView } from './view.ts';

const KIND = 'check_in';
const params = z.object({ token: z.string() });
const HIDDEN = { schema: { hide: true } };

/** The pages of a check-in: the questions, and the submission of answers. */
export function checkInPages(app: FastifyInstance, { unitOfWork }: PageDeps): void {
  app.get('/c/:token', HIDDEN, async (request, reply) => {
    const { visitor, address } = visitOf(request);
    const opened = await unitOfWork.read(visitor, async (db, caller) => {
      const visit = await openCheckIn(db, caller, visitor.link, new Date());
      return visit && { visit, answered: visit.state === 'answered' ? await readAnsweredValues(db, caller, visit) : undefined };
    });
    if (!opened) throw unknownLink();
    return send(reply, opened.visit, { address, answered: opened.answered });
  });

  app.post('/c/:token', HIDDEN, async (request, reply) => {
    const { visitor, address } = visitOf(request);
    const values = readForm(request.body);
    const answer = await unitOfWork.write(visitor, (db, caller) => receiveAnswers(db, caller, visitor.link, values, new Date()), {
      signal: request.deadline.signal,
    });
    if (!answer) throw unknownLink();
    if (answer.outcome === 'saved') return reply.redirect(address, 303);
    if (answer.outcome === 'closed') return send(reply.code(409), answer.visit, { address, again: true });
    return send(reply.code(422), answer.visit, { address, form: { values, errors: answer.errors } });
  });
}

function visitOf(request: FastifyRequest) {
  const { token } = readInput(params, request.params);
  return { visitor: visitorOf(request, token, KIND), address: `/c/${token}` };
}

/** Sends the page in the language of the patient; 410 where it takes no answers any more. */
function send(reply: FastifyReply, visit: CheckInPage, page: Omit<CheckInView, 'language'>): FastifyReply {
  if (visit.state === 'expired' || visit.state === 'over') reply.code(410);
  const language = pageLanguage(reply.request, { reader: visit.patientLanguage, practice: visit.practice.language });
  return reply.type('text/html; charset=utf-8').send(checkInView(visit, { ...page, language }));
}
