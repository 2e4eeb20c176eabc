import { createOwnOrigin } from '../../config/origin.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import { checkAvailability, type NumberAvailability } from '../../domain/messaging/numbers/practice-numbers.ts';
import { createSenders } from '../../domain/practices/test-practices.ts';
import { inviteUser } from '../../domain/users/invitations.ts';
import { createGuardedRequests } from '../../gateways/requests/guarded-requests.ts';
import type { FilePlan } from '../../practice-file/apply.ts';
import type { FileServices } from '../../practice-file/kind.ts';
import type { Session } from '../terminal/session.ts';

/** The services with which a command applies a file. `asked` asks the carrier for the new numbers of a plan. */
export function fileServices(
  session: Session,
): FileServices & { askForPlan(plan: FilePlan, organizationId: number): Promise<FileServices> } {
  const { config, keyring } = session;
  const services: FileServices = {
    keyring,
    accepts: createGuardedRequests({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES }).accepts,
    mostClients: config.PRACTICE_LIMITS.clients,
    mostEndpoints: config.PRACTICE_LIMITS.endpoints,
    makeUser: (tx, input) => inviteUser(tx, { keyring, origin: createOwnOrigin(config).origin() }, input),
    forSale: new Map(),
  };
  return {
    ...services,
    async askForPlan({ steps }, organizationId) {
      const numbers = steps
        .filter(({ kind, action }) => kind === 'numbers' && action === 'add')
        .flatMap(({ changes }) => changes.flatMap(({ field, after }) => (field === 'number' && typeof after === 'string' ? [after] : [])));
      if (numbers.length === 0) return services;
      const { createGateways } = await import('../../gateways/gateways.ts');
      const gateways = await createGateways(config, session.database, keyring);
      const sale = { findSenders: createSenders(preparedIn(session.database.prisma), gateways), most: config.PRACTICE_LIMITS.numbers };
      const forSale = new Map<string, NumberAvailability>();
      for (const number of numbers) forSale.set(number, await checkAvailability(sale, organizationId, number));
      return { ...services, forSale };
    },
  };
}
