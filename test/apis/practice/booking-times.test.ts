import { expect, it } from 'vitest';
import { integrationClient, practiceClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;

/** A practice with an app, a practice system, a nurse and a patient, and slots that were made in 2020. */
async function practice() {
  const { id: organizationId } = await createOrganization(rows, { timeZone: 'America/New_York' });
  const [app, client, nurse] = [
    await integrationClient(test, { organizationId }),
    await practiceClient(test, { organizationId }),
    await signedInUser(test, { organizationId, user: { firstName: 'Nora', lastName: 'Nurse' } }),
  ];
  const patient = (await createPatient(rows, { organizationId })).id;
  const slot = async (fields: object = {}): Promise<number> => {
    const made = await nurse.post('/appointments').send({ appointment_date: '2031-03-03T09:30:00', ...fields });
    expect(made.status, made.text).toBeLessThan(300);
    const { uuid: id } = made.body.data;
    await rows.appointment.update({
      where: { organizationId_id: { organizationId, id } },
      data: { createdAt: new Date('2020-05-05T16:00:00Z') },
    });
    return id;
  };
  const read = async (id: number) => (await client.get(`/appointments/${id}`).expect(200)).body[0];
  const booked = async (from: string, until: string) =>
    (
      await client
        .get(`/appointments/booked?startdate=3/3/2031&enddate=3/3/2031&scheduledstartdate=${from}&scheduledenddate=${until}`)
        .expect(200)
    ).body.appointments.map(({ appointmentid }: { appointmentid: string }) => Number(appointmentid));
  return { organizationId, app, client, nurse, patient, slot, read, booked };
}

const NOW = expect.stringMatching(/^\d\d\/\d\d\/(?!2020)\d{4} /);
const SINCE_2021 = ['1/1/2021', '12/31/2199'] as const;
const IN_2020 = ['1/1/2020', '12/31/2020'] as const;
const MADE = { scheduledby: 'Nora Nurse', scheduleddatetime: '05/05/2020 12:00:00' };

it('An appointment was booked when, and by whom, its patient was put into it', async () => {
  const { organizationId, app, client, nurse, patient, slot, read, booked } = await practice();
  const names = async (id: number | null) => {
    const user = await rows.user.findFirst({ where: { organizationId, id: id ?? 0 } });
    return [user?.firstName, user?.lastName].filter(Boolean).join(' ');
  };
  const byUser = async (id: number) =>
    names((await rows.appointment.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } })).bookedByUserId);

  const asMade = await slot({ patient_id: patient });
  expect(await read(asMade)).toMatchObject(MADE);
  const open = await slot();
  expect(await read(open)).toMatchObject({ appointmentstatus: 'o', ...MADE });

  const put = await slot();
  await app.put(`/appointments/${put}`).send({ patient_id: patient }).expect(200);
  const byNurse = await slot();
  await nurse.post(`/appointments/${byNurse}`).send({ patient_id: patient }).expect(200);
  await client.put(`/appointments/${asMade}/reschedule?patientid=${patient}&newappointmentid=${open}`).expect(200);
  for (const id of [put, byNurse, open]) {
    const { scheduledby, scheduleddatetime } = await read(id);
    expect([scheduledby ?? '', scheduleddatetime]).toEqual([await byUser(id), NOW]);
  }
  expect((await read(byNurse)).scheduledby).toBe('Nora Nurse');
  expect((await read(put)).scheduledby).not.toBe('Nora Nurse');
  expect(await booked(...SINCE_2021)).toEqual([open, put, byNurse]);
  expect(await booked(...IN_2020)).toEqual([]);

  await app.put(`/appointments/${put}`).send({ appointment_length: 45 }).expect(200);
  await app.put(`/appointments/${byNurse}`).send({ patient_id: null }).expect(200);
  expect(await read(byNurse)).toMatchObject({ appointmentstatus: 'o', ...MADE });
  expect(await booked(...SINCE_2021)).toEqual([open, put]);
});
