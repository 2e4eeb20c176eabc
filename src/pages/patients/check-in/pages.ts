import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type CheckInPage, openCheckIn } from '../../../domain/messaging/check-ins/check-in-page.ts';
import { surveyInLanguage } from '../../../domain/messaging/check-ins/survey-wordings.ts';
import { guidanceInLanguage } from '../../../domain/monitoring/alerts/patient-guidance.ts';
import { type ReceivedAnswers, receiveAnswers } from '../../../domain/monitoring/patients/patient-answers.ts';
import { readAnsweredValues } from '../../../domain/monitoring/readings/answered-values.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { asksForCode } from '../../links/locked-links.ts';
import { requireVisitor } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';
import { readForm } from './form.ts';
import { type CheckInView, checkInView } from './view.ts';

const KIND = 'check_in';
const params = z.object({ token: z.string() });

/** The pages of a check-in: the questions, and the submission of answers. */
export function checkInPages(app: FastifyInstance, { unitOfWork, ...deps }: PageDeps): void {
  const options = { preHandler: asksForCode({ ...deps, unitOfWork }, 'c') };
  app.get('/c/:token', options, async (request, reply) => {
    const { visitor, address } = readVisitorLink(request);
    const opened = await unitOfWork.read(visitor, async (tx) => {
      const visit = await openCheckIn(tx, visitor.link, new Date());
      return (
        visit && {
          visit,
          answered:
            visit.state === 'answered' ? await readAnsweredValues(tx, visit, toReadPage(visit, chooseLanguage(request, visit))) : {},
        }
      );
    });
    if (!opened) throw unknownLink();
    return send(reply, opened.visit, { address, ...opened.answered });
  });

  app.post('/c/:token', options, async (request, reply) => {
    const { visitor, address } = readVisitorLink(request);
    const values = readForm(request.body);
    const receive = async (tx: Tx) => {
      const answer = await receiveAnswers(tx, visitor.link, values, new Date());
      if (answer === null || answer.outcome === 'saved') return answer;
      return { ...answer, shown: await readRefused(tx, answer, chooseLanguage(request, answer.visit)) };
    };
    const answer = await unitOfWork.write(visitor, receive, { signal: request.deadline.signal });
    if (!answer) throw unknownLink();
    if (answer.outcome === 'saved') return reply.redirect(address, 303);
    const { visit, shown, isUrgent } = answer;
    if (answer.outcome === 'closed') return send(reply.code(409), visit, { address, ...shown, again: isUrgent ? 'urgent' : 'unkept' });
    return send(reply.code(422), visit, { address, ...shown, form: { values, errors: answer.errors } });
  });
}

function readVisitorLink(request: FastifyRequest) {
  const { token } = readInput(params, request.params);
  return { visitor: requireVisitor(request, token, KIND), address: `/c/${token}` };
}

/** Beside a refusal: the values of a check-in that is answered, and the practice's words about what to do now where it is urgent. */
async function readRefused(
  tx: Tx,
  { visit, isUrgent, unkept }: ReceivedAnswers & { outcome: 'invalid' | 'closed' },
  language: Language,
): Promise<Pick<CheckInView, 'values' | 'guidance'>> {
  if (visit.state === 'answered') return readAnsweredValues(tx, visit, { ...toReadPage(visit, language), isUrgent });
  return isUrgent ? { guidance: await guidanceInLanguage(tx, unkept.patientId, language) } : {};
}

const toReadPage = ({ wording, patientLanguage }: CheckInPage, language: Language) => ({
  language,
  survey: surveyInLanguage(wording, language, patientLanguage),
});

const chooseLanguage = (request: FastifyRequest, { patientLanguage, practice }: CheckInPage): Language =>
  pageLanguage(request, { reader: patientLanguage, practice: practice.language });

/** Sends the page in the language of the patient; 410 where it takes no answers any more. */
function send(reply: FastifyReply, visit: CheckInPage, page: Omit<CheckInView, 'language'>): FastifyReply {
  if (visit.state === 'expired' || visit.state === 'over') reply.code(410);
  const language = chooseLanguage(reply.request, visit);
  return reply.type('text/html; charset=utf-8').send(checkInView(visit, { ...page, language }));
}
