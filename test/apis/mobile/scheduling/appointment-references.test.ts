import { expect, it } from 'vitest';
import { actorWith, signedInUser } from '../../../support/actors.ts';
import { ownTestApp, sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType } from '../../../support/factories.ts';
import { appointmentReferences, createAppointment } from '../../../support/schedule.ts';

const first = await sharedTestApp();
const second = await ownTestApp({}, { databaseUrl: first.databaseUrl });

it('a list shows at once what another server has changed of that to which its appointments refer', async () => {
  const db = first.database.prisma;
  const [admin, neighbour] = [await signedInUser(first, { type: 'admin' }), await signedInUser(first, { type: 'admin' })];
  const { organizationId } = admin;
  const { office, type } = await appointmentReferences(db, organizationId);
  const shared = await createAppointmentType(db, { organizationId: neighbour.organizationId, name: 'Shared', isGlobal: true });
  const row = { organizationId, officeId: office.id, startsAt: '2031-01-15T14:00:00Z' };
  await createAppointment(db, { ...row, typeId: type.id, typeOrganizationId: organizationId });
  await createAppointment(db, { ...row, typeId: shared.id, typeOrganizationId: neighbour.organizationId });
  const listTypes = async () => {
    const answer = await admin.get('/appointments/all');
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.map((one: { type: { name: string }; office: { name: string } }) => [one.type.name, one.office.name]);
  };
  const rename = async ({ token, organizationId: of }: typeof admin, id: number, name: string) => {
    const answer = await actorWith(second, token, of).put(`/appointments/types/${id}`).send({ name });
    expect(answer.status, answer.text).toBe(200);
  };
  for (const time of [1, 2]) {
    expect(await listTypes(), `time ${time}`).toEqual([
      ['Physical', 'North'],
      ['Shared', 'North'],
    ]);
  }
  await rename(admin, type.id, 'Check-up');
  expect(await listTypes()).toEqual([
    ['Check-up', 'North'],
    ['Shared', 'North'],
  ]);
  const [shownEverywhere, name] = [{ organizationId: neighbour.organizationId, id: shared.id }, 'Everybody’s'];
  await second.database.prisma.appointmentType.update({ where: { organizationId_id: shownEverywhere }, data: { name } });
  await second.database.prisma.office.update({ where: { organizationId_id: { organizationId, id: office.id } }, data: { name: 'South' } });
  expect(await listTypes()).toEqual([
    ['Check-up', 'South'],
    ['Everybody’s', 'South'],
  ]);
});
