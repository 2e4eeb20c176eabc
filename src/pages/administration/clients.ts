import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Caller } from '../../domain/caller.ts';
import { CLIENT_SCOPES } from '../../domain/identity/clients.ts';
import {
  type ClientWithSecret,
  createPracticeClient,
  listPracticeClients,
  rotatePracticeClient,
  setPracticeClientActive,
  updatePracticeClient,
  withdrawPracticeClient,
} from '../../domain/identity/practice-clients.ts';
import { requireLinkPractice } from '../../domain/practices/link-practice.ts';
import { readInput } from '../../http/input.ts';
import { id, text } from '../../http/wire-types.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { clientsPage } from './clients-view.ts';
import { adminOf, provenAdminOf, runForm, sendPage } from './run-form.ts';

const HIDDEN = { schema: { hide: true } };
const ADDRESS = '/administration/clients';
const clientParams = z.object({ client: id() });
const stepParams = z.object({ client: id(), step: z.enum(['enable', 'disable', 'withdraw']) });
const Fields = z.record(z.string(), z.unknown());
const CreateForm = z.looseObject({ name: text(200).min(1) });
const PAGE = { page: 1, limit: 1_000 };
const OVERLAP_HOURS = 24;

/** The API clients of the practice. To be registered in a staffScope. */
export function clientPages(app: FastifyInstance, { unitOfWork, database }: Pick<StaffPageDeps, 'unitOfWork' | 'database'>): void {
  const show = (request: FastifyRequest, { problem, made }: { problem?: string; made?: ClientWithSecret } = {}): Promise<string> =>
    unitOfWork.read(adminOf(request), async (db, caller) => {
      const clients = await listPracticeClients(db, caller, PAGE);
      return clientsPage({ practice: await requireLinkPractice(db, caller), clients: clients.items, problem, made });
    });
  const refused = (request: FastifyRequest) => (problem: string) => show(request, { problem });

  app.get(ADDRESS, HIDDEN, async (request, reply) => sendPage(reply, await show(request)));

  app.post(ADDRESS, HIDDEN, (request, reply) => {
    const work = async () => {
      const { name } = readInput(CreateForm, request.body ?? {});
      const input = { name, scopes: scopesIn(request.body), keys: null, redirectUris: null };
      const made = await unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) =>
        createPracticeClient(db, caller, input),
      );
      return sendPage(reply, await show(request, { made }));
    };
    return runForm(reply, ADDRESS, work, refused(request));
  });

  app.post(`${ADDRESS}/:client`, HIDDEN, (request, reply) => {
    const { client } = readInput(clientParams, request.params);
    const work = async () =>
      unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) =>
        updatePracticeClient(db, caller, client, { scopes: scopesIn(request.body) }),
      );
    return runForm(reply, ADDRESS, work, refused(request));
  });

  app.post(`${ADDRESS}/:client/rotate`, HIDDEN, (request, reply) => {
    const { client } = readInput(clientParams, request.params);
    const work = async () => {
      const made = await unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) =>
        rotatePracticeClient(db, caller, client, OVERLAP_HOURS),
      );
      return sendPage(reply, await show(request, { made }));
    };
    return runForm(reply, ADDRESS, work, refused(request));
  });

  app.post(`${ADDRESS}/:client/:step`, HIDDEN, (request, reply) => {
    const { client, step } = readInput(stepParams, request.params);
    const work = async () =>
      unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) => takeStep(db, caller, client, step));
    return runForm(reply, ADDRESS, work, refused(request));
  });
}

type Step = z.output<typeof stepParams>['step'];

const takeStep = (db: Db, caller: Caller, client: number, step: Step): Promise<void> =>
  step === 'withdraw' ? withdrawPracticeClient(db, caller, client) : setPracticeClientActive(db, caller, client, step === 'enable');

/** The scopes whose boxes are checked; the names of fields have an underscore for the point. */
function scopesIn(body: unknown) {
  const fields = Fields.safeParse(body).data ?? {};
  return CLIENT_SCOPES.filter((scope) => fields[scope.replace('.', '_')] === 'yes');
}
