import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type ExternalMessageState,
  openExternalMessage,
  openExternalMessageFile,
} from '../../../domain/messaging/external-messages/external-message-access.ts';
import { enterCode, requestCode } from '../../../domain/messaging/external-messages/external-message-codes.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { beginsFile, sendFile } from '../../../http/endpoints/run/downloads.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { longId } from '../../../http/wire/wire-types.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { requireVisitor } from '../../links/visitor.ts';
import type { PageDeps } from '../../page-deps.ts';
import { keepProof, readCode, readProof } from './codes.ts';
import { messageView } from './view.ts';

const KIND = 'external_message';

const params = z.object({ token: z.string() });
const fileParams = params.extend({ attachment: longId() });

export function externalMessagePages(app: FastifyInstance, deps: PageDeps): void {
  app.get('/m/:token', async (request, reply) => {
    return sendMessagePage(reply, request, await open(deps, request, request.method === 'GET'));
  });

  app.post('/m/:token/code', async (request, reply) => {
    const { visitor, token, ...visit } = readVisitorLink(deps, request);
    const known = await deps.unitOfWork.write(visitor, (tx) => requestCode(tx, visit), { signal: request.deadline.signal });
    if (!known) throw unknownLink();
    return reply.redirect(toAddress(token), 303);
  });

  app.post('/m/:token', async (request, reply) => {
    const { visitor, token, ...visit } = readVisitorLink(deps, request);
    const code = readCode(request.body);
    if (code === null) {
      const opening = await open(deps, request, false);
      return opening.state === 'locked' ? sendMessagePage(reply.code(400), request, opening, true) : reply.redirect(toAddress(token), 303);
    }
    const answer = await deps.unitOfWork.write(visitor, (tx) => enterCode(tx, visit, code), {
      signal: request.deadline.signal,
    });
    if (answer.outcome === 'unknown') throw unknownLink();
    if (answer.outcome === 'right') keepProof(request, reply, toAddress(token), answer.proof);
    return reply.redirect(toAddress(token), 303);
  });

  app.get('/m/:token/files/:attachment', async (request, reply) => {
    const { visitor, token, ...visit } = readVisitorLink(deps, request);
    const { data: asked } = fileParams.safeParse(request.params);
    if (!asked) throw unknownLink();
    const file = await deps.unitOfWork.write(
      visitor,
      (tx) => openExternalMessageFile(tx, visit, asked.attachment, (found) => beginsFile(found, request)),
      { signal: request.deadline.signal },
    );
    if (file === null) throw unknownLink();
    if (file === 'closed') return reply.redirect(toAddress(token), 303);
    await sendFile(deps, file, request, reply);
    return reply;
  });
}

function readVisitorLink({ keyring }: PageDeps, request: FastifyRequest) {
  const { token } = readInput(params, request.params);
  const visitor = requireVisitor(request, token, KIND);
  return { visitor, token, link: visitor.link, proof: readProof(request), keyring, now: new Date() };
}

/** @throws Failure not_found for an unknown link */
async function open(deps: PageDeps, request: FastifyRequest, isShown: boolean): Promise<ExternalMessageState> {
  const { visitor, ...visit } = readVisitorLink(deps, request);
  const opening = await deps.unitOfWork.write(visitor, (tx) => openExternalMessage(tx, visit, isShown), {
    signal: request.deadline.signal,
  });
  if (!opening) throw unknownLink();
  return opening;
}

function sendMessagePage(reply: FastifyReply, request: FastifyRequest, opening: ExternalMessageState, malformed = false): FastifyReply {
  const { token } = readInput(params, request.params);
  if (opening.state === 'expired') reply.code(410);
  const language = pageLanguage(request, { reader: opening.patientLanguage, practice: findLinkPractice(opening).language });
  return reply.type('text/html; charset=utf-8').send(messageView(opening, { address: toAddress(token), language }, malformed));
}

function findLinkPractice(opening: ExternalMessageState): LinkPractice {
  if (opening.state === 'open') return opening.message.practice;
  return opening.state === 'locked' ? opening.codeStatus.practice : opening.practice;
}

const toAddress = (token: string): string => `/m/${token}`;
