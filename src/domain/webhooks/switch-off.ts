import { recordChange } from '../audit/journal-entries.ts';
import { listActiveAdmins } from '../identity/rights/active-admins.ts';
import type { Tx } from '../tx.ts';
import { type AccountMailDeps, type AccountMailWords, findMailedUser, mailUser } from '../users/account-mails.ts';
import { FAILING_MS } from './schedule.ts';

export type SwitchOffReason = 'gone' | 'failing';

/** Whether an endpoint, to which nothing was delivered since then, has failed for too long. */
export const hasFailedTooLong = (failingSince: Date | null, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() > FAILING_MS;

/**
 * Switches an endpoint off that is on, and tells the practice's administrators by mail. What is queued stays, and is sent when the
 * endpoint is switched on again.
 */
export async function switchOff(
  tx: Tx,
  deps: AccountMailDeps,
  { endpointId, reason }: { endpointId: number; reason: SwitchOffReason },
): Promise<void> {
  const { count } = await tx.prisma.webhookEndpoint.updateMany({
    where: { ...tx.practice, id: endpointId, active: true },
    data: { active: false, switchedOff: reason, switchedOffAt: new Date() },
  });
  if (count === 0) return;
  recordChange(tx, 'administer', { name: 'webhook_endpoint.switched_off', id: endpointId });
  const { url } = await tx.prisma.webhookEndpoint.findUniqueOrThrow({
    where: tx.key(endpointId),
    select: { url: true },
  });
  await mailAdmins(tx, deps, mailWords({ endpointId, host: new URL(url).host, reason }));
}

async function mailAdmins(tx: Tx, deps: AccountMailDeps, words: AccountMailWords): Promise<void> {
  for (const id of await listActiveAdmins(tx)) {
    const to = await findMailedUser(tx, id);
    if (to) await mailUser(tx, deps, to, { words, path: '/administration/audit' });
  }
}

/** The host alone: the rest of an address may hold a token. */
function mailWords({ endpointId, host, reason }: { endpointId: number; host: string; reason: SwitchOffReason }): AccountMailWords {
  const why = {
    failing: { en: 'nothing could be delivered there for five days', es: 'no se pudo entregar nada allí durante cinco días' },
    gone: { en: 'it responded that it no longer exists (410)', es: 'respondió que ya no existe (410)' },
  }[reason];
  return {
    en: ({ firstName, practiceName }) => ({
      subject: 'Events are no longer delivered to one of your endpoints',
      body: `Hello ${firstName},

Triptych has stopped delivering events of ${practiceName} to ${host}, because ${why.en} (webhook endpoint ${endpointId}). Nothing is lost: later events are delivered once the endpoint is switched on again, as far as the event log reaches back.

Please tell the people who maintain ${host}. The audit shows the endpoint:

{{url}}`,
    }),
    es: ({ firstName, practiceName }) => ({
      subject: 'Ya no se entregan eventos a uno de sus destinos',
      body: `Hola, ${firstName}:

Triptych dejó de comunicar a ${host} los cambios de ${practiceName}, porque ${why.es} (destino de webhooks ${endpointId}). No se pierde nada: los cambios se entregan cuando el destino se vuelva a activar, mientras se conserve el registro de eventos.

Avise a quien se ocupa de ${host}. El registro de auditoría muestra el destino:

{{url}}`,
    }),
  };
}
