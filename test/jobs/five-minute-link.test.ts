import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { momentAt } from '../../src/domain/values/time/time.ts';
import { sendFiveMinuteLinks } from '../../src/jobs/due-work.ts';
import { createServices, type Services } from '../../src/services.ts';
import { enter, findLink, toPath } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { practiceWithNumber } from './outgoing.ts';

const ORIGIN = 'https://clinic.example';

let workers: Services[];

const test = await ownTestApp();
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider' });

beforeAll(async () => {
  workers = await Promise.all([createServices(test.services), createServices(test.services)]);
});
afterAll(() => Promise.all(workers.map((worker) => worker.close())));

/** Runs two workers at the same time. */
const look = () => Promise.all(workers.map((worker) => sendFiveMinuteLinks({ ...worker, origin: ORIGIN })));

async function book({
  inSeconds = 240,
  waitingRoom = true,
  patient = {},
  ...data
}: {
  inSeconds?: number;
  waitingRoom?: boolean;
  patient?: object;
  status?: 'cancelled' | 'completed';
  confirmation?: 'No';
} = {}) {
  const { prisma } = test.database;
  const { id: patientId } = await createPatient(prisma, {
    organizationId,
    mobilePhone: '+12125550123',
    email: 'pia@example.com',
    ...patient,
  });
  const room = waitingRoom ? await prisma.waitingRoom.create({ data: { organizationId, name: 'Room' } }) : null;
  const startsAt = new Date(Date.now() + inSeconds * 1000);
  const appointment = await prisma.appointment.create({
    data: {
      organizationId,
      patientId,
      startsAt,
      endsAt: new Date(startsAt.getTime() + 1_200_000),
      waitingRoomId: room?.id ?? null,
      ...{
        localStart: momentAt(startsAt, 'America/New_York').local,
        timeZone: 'America/New_York',
        durationMinutes: 20,
        users: { create: { userId: host.user.id } },
        ...data,
      },
    },
  });
  return { appointment, patientId };
}

const listInvites = (appointmentId: number) =>
  test.database.prisma.sessionInvite.findMany({ where: { organizationId, appointmentId }, include: { session: true } });

async function setting(on: boolean, type = 'sms') {
  await host
    .put('/waiting-rooms/5-minute-checkin')
    .send({ teleheath_5_minute_check_in: on, teleheath_5_minute_check_in_type: type })
    .expect(200);
}

describe('the link five minutes before', () => {
  it('goes to the patient once, by the way that the user chose, into the session of the appointment', async () => {
    await setting(true, 'sms');
    const { appointment, patientId } = await book();
    await look();
    await look();
    const [invite, ...more] = await listInvites(appointment.id);
    expect(more).toEqual([]);
    expect(invite).toMatchObject({
      patientId,
      channel: 'sms',
      sentTo: '+12125550123',
      session: { appointmentId: appointment.id, hostUserId: host.user.id },
    });
    const { text } = await test.database.prisma.sessionInvite.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id: invite?.id ?? 0 } },
      include: { text: true },
    });
    expect(text?.urgent, 'quiet hours hold it').toBe(true);
    const link = await findLink(test, organizationId, invite?.id ?? 0);
    const visitor = await enter(test, link);
    const { body } = await host.post(`/video-session/${invite?.session?.guid}/host-link`).expect(201);
    const leader = await enter(test, toPath(body.data.host_link));
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    expect(
      await test.database.prisma.telehealthVisit.findMany({ where: { organizationId, patientId }, orderBy: { id: 'asc' } }),
    ).toMatchObject([{ appointmentId: appointment.id }]);
  });

  it('does not go to a patient whom somebody has just sent it, nor to one who is there', async () => {
    await setting(true);
    const { appointment, patientId } = await book({ waitingRoom: false });
    const session = (await host.get('/meet-session').expect(200)).body.data;
    const { prisma } = test.database;
    await prisma.videoSession.updateMany({ where: { id: session.uuid }, data: { appointmentId: appointment.id } });
    const sent = await host.post(`/video-session/${session.guid}/invite`).send({ patient_id: patientId }).expect(201);
    await look();
    expect(await listInvites(appointment.id)).toHaveLength(1);
    await enter(test, await findLink(test, organizationId, sent.body.data.uuid));
    await prisma.appointmentReminder.deleteMany({ where: { organizationId, appointmentId: appointment.id } });
    await look();
    expect(await listInvites(appointment.id)).toHaveLength(1);
  });

  it('goes to a restricted patient too, whom somebody has to see', async () => {
    await setting(true);
    const { appointment, patientId } = await book();
    await test.database.prisma.privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    await look();
    expect(await listInvites(appointment.id)).toMatchObject([{ patientId }]);
  });

  it('goes by mail where that is chosen, to a session that stands where there is one', async () => {
    await setting(true, 'email');
    const { appointment } = await book({ waitingRoom: false });
    await look();
    expect(await listInvites(appointment.id)).toEqual([]);
    const session = (await host.get('/meet-session').expect(200)).body.data;
    await test.database.prisma.videoSession.updateMany({ where: { id: session.uuid }, data: { appointmentId: appointment.id } });
    await look();
    expect(await listInvites(appointment.id)).toMatchObject([
      { channel: 'email', sentTo: 'pia@example.com', videoSessionId: session.uuid },
    ]);
  });

  it('goes out late rather than never, but not once the appointment began', async () => {
    await setting(true, 'sms');
    const late = await book({ inSeconds: 20 });
    const early = await book({ inSeconds: 400 });
    const begun = await book({ inSeconds: -5 });
    await look();
    expect(await listInvites(late.appointment.id)).toHaveLength(1);
    expect(await listInvites(early.appointment.id)).toEqual([]);
    expect(await listInvites(begun.appointment.id)).toEqual([]);
  });

  it('goes out again before the new start of an appointment that was moved', async () => {
    await setting(true, 'sms');
    const { appointment } = await book();
    await look();
    const move = async (inSeconds: number) => {
      const appointment_date = new Date(Date.now() + inSeconds * 1000).toISOString();
      await host.put(`/api/appointments/${appointment.id}`).send({ appointment_date }).expect(200);
      await look();
      return (await listInvites(appointment.id)).length;
    };
    expect(await move(3_600), 'an hour before the new start').toBe(1);
    expect(await move(240), 'four minutes before it').toBe(2);
    expect(await move(200), 'moved by less than the link is sent ahead').toBe(2);
    const sessions = new Set((await listInvites(appointment.id)).map(({ videoSessionId }) => videoSessionId));
    expect(sessions.size, 'both lead into the session of the appointment').toBe(1);
  });

  it('does not go out for a cancelled appointment, nor where it is switched off, nor to who has no number or said No', async () => {
    await setting(true, 'sms');
    const cancelled = await book({ status: 'cancelled' });
    const without = await book({ patient: { mobilePhone: null } });
    const declined = await book({ confirmation: 'No' });
    await look();
    expect(await listInvites(declined.appointment.id)).toEqual([]);
    expect(await listInvites(cancelled.appointment.id)).toEqual([]);
    expect(await listInvites(without.appointment.id)).toEqual([]);
    await setting(false);
    const off = await book();
    await look();
    expect(await listInvites(off.appointment.id)).toEqual([]);
  });
});
