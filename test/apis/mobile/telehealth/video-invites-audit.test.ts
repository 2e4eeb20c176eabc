import { expect, it } from 'vitest';
import { practiceWithNumber } from '../../../jobs/outgoing.ts';
import { openMeeting } from '../../../realtime/room.ts';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';

const test = await sharedTestApp();

it('the audit of a patient has who invited them to a session, and who withdrew the invite', async () => {
  const organizationId = await practiceWithNumber(test);
  const [host, colleague] = [await signedInUser(test, { organizationId }), await signedInUser(test, { organizationId })];
  const { guid } = await openMeeting(host);
  const patient = await createPatient(test.database.prisma, { organizationId, mobilePhone: '+12125550123' });
  const invite = await host.post(`/video-session/${guid}/invite`).send({ patient_id: patient.id }).expect(201);
  await colleague.delete(`/video-session/${guid}/invite/${invite.body.data.uuid}`).expect(204);
  const audits = await test.database.prisma.auditEntry.findMany({
    where: { organizationId, resource: 'session_invite', patientIds: { has: patient.id } },
    orderBy: { id: 'asc' },
  });
  expect(audits.map(({ action, actor }) => [action, actor])).toEqual([
    ['create', `user:${host.user.id}`],
    ['update', `user:${colleague.user.id}`],
  ]);
});
