import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createAppointmentType, createOffice, createPatient, createProvider } from '../../support/factories.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;

/** A practice whose provider works on Mondays from nine to eleven: 03/03/2031 is one. */
async function practice({ declineFreesSlot = false } = {}) {
  const system = await practiceClient(test, { organization: { declineFreesSlot } });
  const own = { organizationId: system.organizationId };
  const office = await createOffice(rows(), { ...own, name: 'North', timeZone: 'America/Denver' });
  const provider = await createProvider(rows(), { ...own, firstName: 'Ada', lastName: 'Doe' });
  const type = await createAppointmentType(rows(), { ...own, name: 'Visit', durationMinutes: 60 });
  const hours = { providerId: provider.id, officeId: office.id, weekday: 1, fromMinute: 540, untilMinute: 660 };
  await rows().availability.create({ data: { ...own, ...hours } });
  const patient = async () => (await createPatient(rows(), { ...own, lastName: 'Ames' })).id;
  const week = `departmentid=${office.id}&appointmenttypeid=${type.id}&startdate=03/03/2031&enddate=03/09/2031`;
  const open = async (query = '') => {
    const answer = await system.get(`/appointments/open?${week}${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.appointments;
  };
  return { system, own, office, provider, type, patient, open };
}

describe('open appointments', () => {
  it('are the free times of a department, with numbers for ids, and are booked by a parameter or a form', async () => {
    const { system, office, provider, type, patient, open } = await practice();
    const [first, second] = await open();
    expect(first).toEqual({
      appointmentid: expect.any(Number),
      appointmenttype: 'Visit',
      appointmenttypeid: type.id,
      patientappointmenttypename: 'Visit',
      date: '03/03/2031',
      starttime: '09:00',
      duration: 60,
      departmentid: office.id,
      providerid: provider.id,
      localproviderid: provider.id,
      reasonid: [String(type.id)],
    });
    const [one, other] = [await patient(), await patient()];
    const booked = await system.put(`/appointments/${first.appointmentid}?patientid=${one}&appointmenttypeid=${type.id}`);
    expect(booked.body, booked.text).toMatchObject([
      { appointmentid: String(first.appointmentid), appointmentstatus: 'f', patientid: String(one), starttime: '09:00' },
    ]);
    expect((await system.put(`/appointments/${first.appointmentid}`).type('form').send({ patientid: one })).status).toBe(200);
    expect((await system.put(`/appointments/${first.appointmentid}`).type('form').send({ patientid: other })).status).toBe(409);
    expect(await open()).toEqual([second]);
    expect((await system.put(`/appointments/${second.appointmentid}`)).body.missingfields).toEqual(['patientid']);
    expect((await system.put(`/appointments/999999999?patientid=${one}`)).status).toBe(404);
  });

  it('are where a visit is moved to, by the id that was shown, once', async () => {
    const { system, type, patient, open } = await practice();
    const [first, second] = await open();
    const one = await patient();
    await system.put(`/appointments/${first.appointmentid}?patientid=${one}&appointmenttypeid=${type.id}`).expect(200);
    const move = () =>
      system.put(`/appointments/${first.appointmentid}/reschedule?patientid=${one}&newappointmentid=${second.appointmentid}`);
    for (const moved of [await move(), await move()])
      expect(moved.body, moved.text).toMatchObject([
        { appointmentid: String(second.appointmentid), starttime: '10:00', patientid: String(one) },
      ]);
    expect(await open()).toMatchObject([{ starttime: '09:00' }]);
    const unknown = await system.put(`/appointments/${second.appointmentid}/reschedule?patientid=${one}&newappointmentid=999999999`);
    expect([unknown.status, unknown.headers['error-fields']]).toEqual([404, 'newappointmentid']);
  });

  it('are opened at any time, frozen, and booked once they are not', async () => {
    const { system, office, provider, type, patient, open } = await practice();
    const form = { departmentid: office.id, providerid: provider.id, appointmentdate: '03/04/2031', appointmenttime: '08:00,16:30' };
    expect((await system.post('/appointments/open').type('form').send(form)).status).toBe(400);
    const { id: another } = await createAppointmentType(test.database.prisma, { organizationId: system.organizationId });
    const contradicting = { ...form, appointmenttypeid: type.id, reasonid: another };
    expect((await system.post('/appointments/open').type('form').send(contradicting)).body.invalidfields).toEqual(['reasonid']);
    const booking = `/appointments/1?patientid=${await patient()}&appointmenttypeid=${type.id}&reasonid=${another}`;
    expect((await system.put(booking)).body.invalidfields).toEqual(['reasonid']);
    const opened = await system
      .post('/appointments/open')
      .type('form')
      .send({ ...form, reasonid: type.id });
    expect(Object.values(opened.body.appointmentids), opened.text).toEqual(['08:00', '16:30']);
    const [id] = Object.keys(opened.body.appointmentids);
    const [slot] = await open();
    for (const one of [id, slot.appointmentid]) {
      const freeze = (to: boolean) => system.put(`/appointments/${one}/freeze`).type('form').send({ freeze: to });
      expect((await freeze(true)).body).toEqual({ success: true, errormessage: '' });
      expect((await freeze(true)).body).toEqual({ success: false, errormessage: 'Appointment is already frozen.' });
      expect((await open()).map(({ appointmentid }: { appointmentid: number }) => String(appointmentid))).not.toContain(String(one));
      expect((await system.put(`/appointments/${one}?patientid=${await patient()}`)).status).toBe(409);
      expect((await freeze(false)).body.success).toBe(true);
      expect((await freeze(false)).body).toEqual({ success: false, errormessage: 'Appointment is already unfrozen.' });
      expect((await system.put(`/appointments/${one}?patientid=${await patient()}`)).status).toBe(200);
    }
  });
});

it('a visit that its patient declines is free for others where the practice says so', async () => {
  const { system, patient, open } = await practice({ declineFreesSlot: true });
  const [slot, second] = await open();
  const patientid = await patient();
  await system.put(`/appointments/${slot.appointmentid}?patientid=${patientid}`);
  const declined = await system
    .put(`/appointments/${slot.appointmentid}/confirmation`)
    .type('form')
    .send({ patientid, confirmation: 'No' });
  expect(declined.status, declined.text).toBe(200);
  expect((await open()).map(({ starttime }: { starttime: string }) => starttime)).toEqual(['09:00', second.starttime]);
});
