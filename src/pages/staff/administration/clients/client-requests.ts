import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { groupFailures } from '../../../../domain/identity/clients/client-requests.ts';
import { findPracticeClient } from '../../../../domain/identity/clients/practice-clients.ts';
import { requireLinkPractice } from '../../../../domain/practices/link-practice.ts';
import { hasDigest, orderDigest } from '../../../../domain/users/request-digests.ts';
import { readInput } from '../../../../http/input/input.ts';
import { id } from '../../../../http/wire/wire-types.ts';
import { sendPage } from '../../../design/layout/page.ts';
import { newsIn, requireAdmin } from '../../forms/run-form.ts';
import type { StaffPageDeps } from '../../sign-in/staff-page-deps.ts';
import { clientRequestsPage } from './client-requests-view.ts';

const ADDRESS = '/administration/clients/:client/requests';
const clientParams = z.object({ client: id() });
const DigestForm = z.object({ digest: z.literal('yes').optional() });
const DONE = { saved: 'The changes were saved.' };

/** The page of the failed requests of one API client. To be registered in a staffScope. */
export function clientRequestPages(
  app: FastifyInstance,
  { unitOfWork, requestLog }: Pick<StaffPageDeps, 'unitOfWork' | 'requestLog'>,
): void {
  app.get(ADDRESS, async (request, reply) => {
    const { client: clientId } = readInput(clientParams, request.params);
    await requestLog.flush();
    const page = await unitOfWork.read(requireAdmin(request), async (tx) => {
      const client = await findPracticeClient(tx, clientId);
      const shown = { failures: await groupFailures(tx, client.clientId), hasDigest: await hasDigest(tx, client.clientId) };
      return clientRequestsPage({ practice: await requireLinkPractice(tx), client, ...shown, news: newsIn(request, DONE) });
    });
    return sendPage(reply, page);
  });

  app.post(ADDRESS, async (request, reply) => {
    const { client } = readInput(clientParams, request.params);
    const { digest } = readInput(DigestForm, request.body ?? {});
    await unitOfWork.write(requireAdmin(request), async (tx) =>
      orderDigest(tx, (await findPracticeClient(tx, client)).clientId, digest === 'yes'),
    );
    return reply.redirect(`/administration/clients/${client}/requests?done=saved`, 303);
  });
}
