import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type ClientWithSecret,
  findPracticeClient,
  rotatePracticeClient,
  setPracticeClientActive,
  updatePracticeClient,
  withdrawPracticeClient,
} from '../../../../domain/identity/clients/practice-clients.ts';
import { requireLinkPractice } from '../../../../domain/practices/link-practice.ts';
import type { Tx } from '../../../../domain/tx.ts';
import { readInput } from '../../../../http/input/input.ts';
import { id, text } from '../../../../http/wire/wire-types.ts';
import { sendPage } from '../../../design/layout/page.ts';
import type { RefusedForm } from '../../forms/form-state.ts';
import { newsIn, requireAdmin, requireProvenAdmin, requireUnchanged, runForm } from '../../forms/run-form.ts';
import type { StaffPageDeps } from '../../sign-in/staff-page-deps.ts';
import { scopesIn } from './client-scopes.ts';
import { clientPage, clientValues, OVERLAPS } from './client-view.ts';

const ADDRESS = '/administration/clients';
const clientParams = z.object({ client: id() });
const stepParams = z.object({ client: id(), step: z.enum(['enable', 'disable', 'withdraw']) });
/** The boxes of the scopes stand beside the name. */
export const ClientForm = z.looseObject({ name: text(200).min(1) });
const RotateForm = z.object({ overlap_hours: z.enum(Object.keys(OVERLAPS)).default('24').transform(Number) });
const DONE = {
  saved: 'The changes are saved.',
  enable: 'The client was switched on.',
  disable: 'The client was switched off.',
};

/** News of one form, which a page shows beside the saved state. */
export interface ShownOnce {
  refused?: RefusedForm;
  made?: ClientWithSecret;
}

export type ClientsDeps = Pick<StaffPageDeps, 'unitOfWork' | 'database' | 'config' | 'requestLog'>;

/** The page of one API client. To be registered in a staffScope. */
export function oneClientPages(app: FastifyInstance, deps: ClientsDeps): void {
  const { unitOfWork, database } = deps;
  app.get(`${ADDRESS}/:client`, async (request, reply) => sendPage(reply, await showClient(deps, request)));

  app.post(`${ADDRESS}/:client`, (request, reply) => {
    const { client } = readInput(clientParams, request.params);
    const work = async () => {
      const form = readInput(ClientForm, request.body ?? {});
      return unitOfWork.write(await requireProvenAdmin(database.prisma, request), async (tx) => {
        const present = await findPracticeClient(tx, client);
        requireUnchanged(request, clientValues(present));
        await updatePracticeClient(tx, client, { name: form.name, scopes: scopesIn(form) });
      });
    };
    const show = (refused: RefusedForm) => showClient(deps, request, { refused });
    return runForm(request, reply, { address: `${ADDRESS}/${client}`, done: 'saved', work, show });
  });

  app.post(`${ADDRESS}/:client/rotate`, (request, reply) => {
    const { client } = readInput(clientParams, request.params);
    const work = async () => {
      const { overlap_hours: hours } = readInput(RotateForm, request.body ?? {});
      const made = await unitOfWork.write(await requireProvenAdmin(database.prisma, request), (tx) =>
        rotatePracticeClient(tx, client, hours),
      );
      return sendPage(reply, await showClient(deps, request, { made }));
    };
    const show = (refused: RefusedForm) => showClient(deps, request, { refused });
    return runForm(request, reply, { address: `${ADDRESS}/${client}`, isButton: true, work, show });
  });

  app.post(`${ADDRESS}/:client/:step`, (request, reply) => {
    const { client, step } = readInput(stepParams, request.params);
    const work = async () => unitOfWork.write(await requireProvenAdmin(database.prisma, request), (tx) => takeStep(tx, client, step));
    const show = (refused: RefusedForm) => showClient(deps, request, { refused });
    const address = step === 'withdraw' ? ADDRESS : `${ADDRESS}/${client}`;
    return runForm(request, reply, { address, done: step, isButton: true, work, show });
  });
}

function showClient({ unitOfWork }: ClientsDeps, request: FastifyRequest, shown: ShownOnce = {}): Promise<string> {
  const { client: clientId } = readInput(clientParams, request.params);
  return unitOfWork.read(requireAdmin(request), async (tx) => {
    const client = await findPracticeClient(tx, clientId);
    const practice = await requireLinkPractice(tx);
    return clientPage({ practice, client, ...shown, news: newsIn(request, DONE) });
  });
}

type Step = z.output<typeof stepParams>['step'];

const takeStep = (tx: Tx, client: number, step: Step): Promise<void> =>
  step === 'withdraw' ? withdrawPracticeClient(tx, client) : setPracticeClientActive(tx, client, step === 'enable');
