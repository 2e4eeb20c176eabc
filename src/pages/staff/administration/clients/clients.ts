import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createPracticeClient, listPracticeClients } from '../../../../domain/identity/clients/practice-clients.ts';
import { requireLinkPractice } from '../../../../domain/practices/link-practice.ts';
import { readInput } from '../../../../http/input/input.ts';
import { sendPage } from '../../../design/layout/page.ts';
import { newsIn, requireAdmin, requireProvenAdmin, runForm } from '../../forms/run-form.ts';
import { ClientForm, type ClientsDeps, oneClientPages, type ShownOnce } from './client.ts';
import { clientRequestPages } from './client-requests.ts';
import { scopesIn } from './client-scopes.ts';
import { clientsPage } from './clients-view.ts';

const ADDRESS = '/administration/clients';
const PAGE = { page: 1, limit: 1_000 };
const DONE = { withdraw: 'The client no longer acts for the practice.' };

/** The API clients of the practice. To be registered in a staffScope. */
export function clientPages(app: FastifyInstance, deps: ClientsDeps): void {
  const { unitOfWork, database } = deps;
  app.get(ADDRESS, async (request, reply) => sendPage(reply, await showClients(deps, request)));

  app.post(ADDRESS, (request, reply) => {
    const work = async () => {
      const form = readInput(ClientForm, request.body ?? {});
      const input = { name: form.name, scopes: scopesIn(form), keys: null, redirectUris: null };
      const made = await unitOfWork.write(await requireProvenAdmin(database.prisma, request), (tx) =>
        createPracticeClient(tx, deps.config.PRACTICE_LIMITS.clients, input),
      );
      return sendPage(reply, await showClients(deps, request, { made }));
    };
    return runForm(request, reply, { address: ADDRESS, work, show: (refused) => showClients(deps, request, { refused }) });
  });

  oneClientPages(app, deps);
  clientRequestPages(app, deps);
}

function showClients({ unitOfWork }: ClientsDeps, request: FastifyRequest, shown: ShownOnce = {}): Promise<string> {
  return unitOfWork.read(requireAdmin(request), async (tx) => {
    const clients = await listPracticeClients(tx, PAGE);
    const practice = await requireLinkPractice(tx);
    return clientsPage({ practice, clients: clients.items, ...shown, news: newsIn(request, DONE) });
  });
}
