import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import {
  enterPublicCode,
  type PublicBookingState,
  readPublicBooking,
  requestPublicBooking,
  resendPublicCode,
} from '../../../domain/messaging/offers/public-bookings.ts';
import { openPublicPage } from '../../../domain/scheduling/patient-booking/booking-choices.ts';
import { pageLanguage, requestLanguage } from '../../../http/pages/page-language.ts';
import { linkCaller } from '../../../http/sign-in/sign-in.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { id } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { requireVisitor } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';
import { readCode } from '../external-message/codes.ts';
import { EMPTY, findWrongField, readIdentity, type SentIdentity } from './public-form.ts';
import { identityView, publicCodeView } from './public-view.ts';
import { type Chosen, chosenTime, findChoiceStep, steps } from './steps.ts';
import { choicePage } from './view.ts';

const KIND = 'public_booking';
const practiceParams = z.object({ practice: id() });
const tokenParams = z.object({ token: z.string() });

/** The pages at which anybody books: choosing a time, who they are, and the code to their phone or email, which opens a booking link. */
export function publicBookingPages(app: FastifyInstance, deps: PageDeps): void {
  const { unitOfWork, keyring, bookingLimits } = deps;

  app.get('/book/:practice', (request, reply) => showPage(deps, request, reply, steps.parse(request.query)));

  app.post('/book/:practice', async (request, reply) => {
    const { caller, address } = readPractice(request);
    const form = readIdentity(request.body);
    if (form === null) return reply.redirect(address, 303);
    const { request: asked, choice } = form;
    const showAgain = (sent: SentIdentity) => showPage(deps, request, reply.code(422), { type: choice.typeId, time: choice.time }, sent);
    if (!asked) return showAgain(form);
    await bookingLimits.countCode({ ...caller, address: request.ip, to: asked.address.to });
    const input = { ...asked, language: requestLanguage(request) };
    try {
      const token = await unitOfWork.write(caller, (tx) => requestPublicBooking(tx, input, { keyring, now: new Date() }), {
        signal: request.deadline.signal,
      });
      if (token === null) throw unknownLink();
      return reply.redirect(`${address}/${token}`, 303);
    } catch (error) {
      const wrong = error instanceof Failure ? findWrongField(error) : null;
      if (wrong !== null) return showAgain({ ...form, wrong: [wrong] });
      if (!(error instanceof Failure) || error.code === 'link_unknown' || !['conflict', 'not_found'].includes(error.kind)) throw error;
      return reply.redirect(`${address}?type=${choice.typeId}&news=taken`, 303);
    }
  });

  codePages(app, deps);
}

/** The pages of the code, which the same secret has as the booking link that it opens. */
function codePages(app: FastifyInstance, { unitOfWork, keyring, bookingLimits }: PageDeps): void {
  const read = async (request: FastifyRequest): Promise<PublicBookingState> => {
    const { visitor } = readVisitorLink(request);
    const state = await unitOfWork.read(visitor, (tx) => readPublicBooking(tx.prisma, visitor.link, new Date()));
    if (!state) throw unknownLink();
    return state;
  };
  const show = async (request: FastifyRequest, reply: FastifyReply, malformed = false) => {
    const { token, address } = readVisitorLink(request);
    const state = await read(request);
    if (state.isProven)
      return reply.redirect(
        state.holdId === null ? `/b/${token}?type=${state.typeId}&news=taken` : `/b/${token}?hold=${state.holdId}`,
        303,
      );
    const language = pageLanguage(request, { reader: state.language, practice: null });
    return sendPage(malformed ? reply.code(400) : reply, publicCodeView(state, { address, language }, malformed));
  };

  app.get('/book/:practice/:token', (request, reply) => show(request, reply));

  app.post('/book/:practice/:token', async (request, reply) => {
    const { visitor, token, address } = readVisitorLink(request);
    const code = readCode(request.body);
    if (code === null) return show(request, reply, true);
    const secret = { token, hash: visitor.link.hash };
    const options = { keyring, origin: readOrigin(request), now: new Date() };
    await unitOfWork.write(visitor, (tx) => enterPublicCode(tx, secret, code, options), { signal: request.deadline.signal });
    return reply.redirect(address, 303);
  });

  app.post('/book/:practice/:token/code', async (request, reply) => {
    const { visitor, address } = readVisitorLink(request);
    const state = await read(request);
    if (!state.isProven) {
      await bookingLimits.countCode({ ...visitor, address: request.ip, to: state.to });
      const options = { keyring, now: new Date() };
      await unitOfWork.write(visitor, (tx) => resendPublicCode(tx, visitor.link, options), { signal: request.deadline.signal });
    }
    return reply.redirect(address, 303);
  });
}

async function showPage({ unitOfWork }: PageDeps, request: FastifyRequest, reply: FastifyReply, chosen: Chosen, sent?: SentIdentity) {
  const { caller, address } = readPractice(request);
  const choice = chosen.type !== undefined && chosen.time ? { typeId: chosen.type, time: chosen.time } : null;
  const found = await unitOfWork.read(caller, async (tx) => {
    const page = await openPublicPage(tx);
    if (!page) throw unknownLink();
    const time = choice && (await chosenTime(tx, page, choice));
    return { page, shown: choice && time ? { choice, time } : await findChoiceStep(tx, page, chosen) };
  });
  const { page, shown } = found;
  const language = pageLanguage(request, { reader: null, practice: page.practice.language });
  const view = { address, language };
  if ('time' in shown && 'choice' in shown)
    return sendPage(reply, identityView(page, view, { values: EMPTY, wrong: [], ...sent, ...shown }));
  return sendPage(reply, choicePage(page, { ...view, news: choice ? 'taken' : (chosen.news ?? null), isPublic: true }, shown));
}

function readPractice(request: FastifyRequest) {
  const { data } = practiceParams.safeParse(request.params);
  if (!data) throw unknownLink();
  return { caller: linkCaller(request, data.practice, KIND), address: `/book/${data.practice}` };
}

function readVisitorLink(request: FastifyRequest) {
  const { token } = tokenParams.parse(request.params);
  const visitor = requireVisitor(request, token, KIND);
  return { visitor, token, address: `/book/${visitor.organizationId}/${token}` };
}
