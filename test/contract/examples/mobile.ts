import { enter, findLink, join, toPath } from '../../realtime/room.ts';
import type { TestApp } from '../../support/app.ts';
import { inboxExamples, numberExamples, textExamples } from './mobile-messaging.ts';
import { ledgerExamples, monitoringExamples, notificationExamples } from './mobile-monitoring.ts';
import { CHANGED_PASSWORD, peopleExamples } from './mobile-people.ts';
import { cancellationExamples, schedulingExamples, seriesExamples, slotExamples, waitlistExamples } from './mobile-scheduling.ts';
import { secondFactorExamples } from './mobile-second-factors.ts';
import { telehealthExamples, visitExamples } from './mobile-telehealth.ts';
import type { Ask } from './recorder.ts';

interface Practice {
  practiceid: number;
  /** Of an administrator, who is allowed what a provider is not. */
  adminToken: string;
  provider: { email: string; password: string };
}

/** An example of each operation of the mobile API, as a provider calls it, and where it has to be, an administrator. */
export async function mobileExamples(test: TestApp, ask: Ask, { practiceid, adminToken, provider }: Practice): Promise<void> {
  const asAdmin: Ask = (operationId, request) => ask(operationId, { ...request, token: adminToken });
  const people = await findPeople(test, practiceid, provider.email);
  await peopleExamples(ask, provider);
  await secondFactorExamples(test, ask, { ...provider, password: CHANGED_PASSWORD });
  const appointment = await schedulingExamples(asAdmin, { patient: people.patient, user: people.user });
  await slotExamples(asAdmin);
  await waitlistExamples(asAdmin, people.patient);
  await seriesExamples(asAdmin, people.patient);
  await textExamples(asAdmin, { patient: people.patient, appointment });
  await inboxExamples(asAdmin, people.colleague);
  await numberExamples(asAdmin);
  await monitoringExamples(ask, people);
  await ledgerExamples(asAdmin);
  await notificationExamples(ask);
  const wait = async (invite: number) => (await enter(test, await findLink(test, practiceid, invite))).close();
  const arrive = async (link: string) => (await join(test, toPath(link), { name: 'Sam Doe' })).you.id;
  await telehealthExamples(ask, { ...people, wait, arrive });
  await visitExamples(ask, people.visitor);
  await cancellationExamples(asAdmin, appointment, { from: people.user, to: people.colleague });
  await asAdmin('deletePatient', { path: { uuid: 50 } });
}

/** Ids of people of the demo, and of a place: by what they are, since ids differ. */
async function findPeople({ database: { prisma } }: TestApp, organizationId: number, email: string) {
  const { userId: user } = await prisma.signIn.findUniqueOrThrow({ where: { email } });
  const { id: colleague } = await prisma.user.findFirstOrThrow({
    where: { organizationId, type: 'provider', id: { not: user } },
    orderBy: { id: 'asc' },
  });
  const { id: patient } = await prisma.patient.findFirstOrThrow({
    where: {
      organizationId,
      status: 'active',
      restricted: false,
      email: { not: null },
      mobilePhone: { not: null },
      flags: { isEmpty: true },
    },
    orderBy: { id: 'asc' },
  });
  const { id: waitingRoom } = await prisma.waitingRoom.findFirstOrThrow({
    where: { organizationId, userId: null },
    orderBy: { id: 'asc' },
  });
  const { patientId: visitor } = await prisma.waitingRoomVisit.findFirstOrThrow({
    where: { organizationId, videoSessionId: { not: null } },
    orderBy: { id: 'asc' },
  });
  return { user, colleague, patient, waitingRoom, visitor };
}
