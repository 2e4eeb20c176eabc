import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { enterLinkCode, findLock, type LockedLink, requestLinkCode } from '../../domain/messaging/external-messages/former-links.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { readInput } from '../../http/input/input.ts';
import { pageLanguage } from '../../http/pages/page-language.ts';
import { keepProof, readCode, readProof } from '../patients/external-message/codes.ts';
import { messageView } from '../patients/external-message/view.ts';
import { requireVisitor } from './visitor.ts';

/** The folders of links that may have left to a former number, and what audit rows call them. */
const KINDS = { b: 'booking_link', c: 'check_in', v: 'video_session', w: 'waiting_room' } as const;
type Folder = keyof typeof KINDS;

interface Deps {
  unitOfWork: UnitOfWork;
  keyring: Keyring;
}

const params = z.object({ token: z.string() });

function readVisitorLink({ keyring }: Deps, request: FastifyRequest, folder: Folder) {
  const { token } = readInput(params, request.params);
  const visitor = requireVisitor(request, token, KINDS[folder]);
  return { visitor, address: `/${folder}/${token}`, link: visitor.link, proof: readProof(request), keyring, now: new Date() };
}

function readLock(deps: Deps, request: FastifyRequest, folder: Folder): Promise<LockedLink | null> {
  const { visitor, ...visit } = readVisitorLink(deps, request, folder);
  return deps.unitOfWork.read(visitor, (tx) => findLock(tx, visit));
}

/**
 * A hook of the pages of a link: where the link left to a number that is no longer its patient's, the page for its code comes first, and a
 * script gets 403.
 */
export const asksForCode =
  (deps: Deps, folder: Folder, { script = false } = {}) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if ((await readLock(deps, request, folder)) === null) return undefined;
    if (script)
      return reply
        .code(403)
        .send({ error: { code: 'code_required', message: 'Open the link again, and enter the code that we send you.' } });
    return reply.redirect(`${readVisitorLink(deps, request, folder).address}/open`, 303);
  };

export function lockedLinkPages(app: FastifyInstance, deps: Deps): void {
  for (const folder of ['b', 'c', 'v', 'w'] as const) {
    const send = (reply: FastifyReply, request: FastifyRequest, lock: LockedLink, malformed = false) => {
      const address = `${readVisitorLink(deps, request, folder).address}/open`;
      const { codeStatus, patientLanguage } = lock;
      const language = pageLanguage(request, { reader: patientLanguage, practice: codeStatus.practice.language });
      return reply.type('text/html; charset=utf-8').send(messageView({ ...lock, state: 'locked' }, { address, language }, malformed));
    };

    app.get(`/${folder}/:token/open`, async (request, reply) => {
      const lock = await readLock(deps, request, folder);
      return lock ? send(reply, request, lock) : reply.redirect(readVisitorLink(deps, request, folder).address, 303);
    });

    app.post(`/${folder}/:token/open/code`, async (request, reply) => {
      const { visitor, address, ...visit } = readVisitorLink(deps, request, folder);
      await deps.unitOfWork.write(visitor, (tx) => requestLinkCode(tx, visit), { signal: request.deadline.signal });
      return reply.redirect(`${address}/open`, 303);
    });

    app.post(`/${folder}/:token/open`, async (request, reply) => {
      const { visitor, address, ...visit } = readVisitorLink(deps, request, folder);
      const code = readCode(request.body);
      const lock = code === null ? await readLock(deps, request, folder) : null;
      if (lock) return send(reply.code(400), request, lock, true);
      if (code === null) return reply.redirect(address, 303);
      const answer = await deps.unitOfWork.write(visitor, (tx) => enterLinkCode(tx, visit, code), {
        signal: request.deadline.signal,
      });
      if (answer.outcome === 'right') keepProof(request, reply, address, answer.proof);
      return reply.redirect(address, 303);
    });
  }
}
