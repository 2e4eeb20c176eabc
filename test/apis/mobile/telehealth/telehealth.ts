import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Prisma } from '../../../../src/generated/prisma/client.ts';
import type { TestApp } from '../../../support/app.ts';
import { createAppointmentType, createPatient } from '../../../support/factories.ts';
import type { Person } from '../people/people.ts';

type Without<T> = Partial<Omit<T, 'organizationId'>>;

/** A WebM recorded by a browser: two seconds of video and audio, without a duration and without an index of key frames. */
export const WEBM = readFileSync(new URL('../../../../prisma/seed/media/recording.webm', import.meta.url));

/** A session of half an hour on 2031-03-10, ended, whose host is the person. */
export function createSession(
  { database }: TestApp,
  { organizationId, user }: Person,
  data: Without<Prisma.VideoSessionUncheckedCreateInput> = {},
) {
  return database.prisma.videoSession.create({
    data: {
      organizationId,
      hostUserId: user.id,
      guid: randomUUID(),
      guestLinkHash: randomBytes(32),
      createdAt: new Date('2031-03-10T14:00:00Z'),
      startedAt: new Date('2031-03-10T15:00:00Z'),
      endedAt: new Date('2031-03-10T15:30:00Z'),
      expiresAt: new Date('2031-03-10T18:00:00Z'),
      ...data,
    },
  });
}

/** A visit by video of 25 minutes on 2031-03-10, in a session of its own unless one is given. */
export async function createVisit(test: TestApp, host: Person, data: Without<Prisma.TelehealthVisitUncheckedCreateInput> = {}) {
  const { organizationId } = host;
  const startedAt = data.startedAt ?? new Date('2031-03-10T15:02:00Z');
  const { videoSessionId = (await createSession(test, host, { startedAt })).id } = data;
  const row = { organizationId, endedAt: new Date('2031-03-10T15:27:00Z'), ...data, startedAt, videoSessionId };
  return test.database.prisma.telehealthVisit.create({ data: row });
}

export function createRoom({ database }: TestApp, organizationId: number, data: Without<Prisma.WaitingRoomUncheckedCreateInput> = {}) {
  return database.prisma.waitingRoom.create({ data: { organizationId, name: 'Video desk', ...data } });
}

/** A patient waits from 14:50 on 2031-03-10 and is admitted ten minutes later. */
export async function createWait(
  test: TestApp,
  organizationId: number,
  data: Without<Prisma.WaitingRoomVisitUncheckedCreateInput> & { patientId: number },
) {
  const waitingRoomId = data.waitingRoomId ?? (await createRoom(test, organizationId)).id;
  const enteredAt = new Date(data.enteredAt ?? '2031-03-10T14:50:00Z');
  const leftAt = data.leftAt === undefined ? new Date(enteredAt.getTime() + 600_000) : data.leftAt;
  const lastSeenAt = leftAt ?? enteredAt;
  return test.database.prisma.waitingRoomVisit.create({
    data: { organizationId, admittedAt: leftAt, ...data, lastSeenAt, enteredAt, leftAt, waitingRoomId },
  });
}

/** A patient of the person's practice. */
export const newPatient = ({ database }: TestApp, { organizationId }: Person, data: Without<Prisma.PatientUncheckedCreateInput> = {}) =>
  createPatient(database.prisma, { organizationId, ...data });

/** Audit entries of a user's reads: `[action, resource, ids, patients]`, in order. */
export async function audited({ database }: TestApp, { organizationId, user }: Person) {
  const where = { organizationId, actor: `user:${user.id}`, action: { not: 'sign_in' } };
  const rows = await database.prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ action, resource, resourceIds, patientIds }) => [action, resource, resourceIds, patientIds]);
}

/** Sends files and texts by a form as browsers do. */
export async function sendMedia(
  { address }: TestApp,
  { token }: Person,
  path: string,
  parts: Record<string, Uint8Array | string>,
  headers: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts))
    if (typeof part === 'string') form.append(name, part);
    else form.append(name, new Blob([new Uint8Array(part)]), `${name}.bin`);
  const answer = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: form,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
}

/** The bytes at an address, requested with a user's token. */
export async function bytesAt(address: string, { token }: Person, headers: Record<string, string> = {}) {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}`, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** An appointment of half an hour on 2031-03-10. */
export async function createAppointment(
  { database: { prisma } }: TestApp,
  { organizationId }: Person,
  patientId: number,
  data: Without<Prisma.AppointmentUncheckedCreateInput> = {},
) {
  const type = await createAppointmentType(prisma, { organizationId, name: 'Follow-up' });
  const startsAt = new Date('2031-03-10T15:00:00Z');
  return prisma.appointment.create({
    data: {
      organizationId,
      patientId,
      typeOrganizationId: organizationId,
      typeId: type.id,
      startsAt,
      endsAt: new Date('2031-03-10T15:30:00Z'),
      localStart: startsAt,
      timeZone: 'UTC',
      durationMinutes: 30,
      ...data,
    },
  });
}

/** A participant of a session. */
export const enterSession = (
  { database }: TestApp,
  { organizationId }: Person,
  videoSessionId: number,
  data: Without<Prisma.SessionParticipantUncheckedCreateInput> = {},
) =>
  database.prisma.sessionParticipant.create({
    data: {
      organizationId,
      videoSessionId,
      role: 'guest',
      lastSeenAt: new Date('2031-03-10T15:30:00Z'),
      visit: data.role !== 'host' && data.admittedAt ? 1 : null,
      ...data,
    },
  });

/** An invite to a session by text. */
export const inviteTo = (
  { database }: TestApp,
  { organizationId }: Person,
  videoSessionId: number,
  data: Without<Prisma.SessionInviteUncheckedCreateInput> = {},
) =>
  database.prisma.sessionInvite.create({
    data: {
      organizationId,
      videoSessionId,
      channel: 'sms',
      sentTo: '+19195550123',
      linkHash: randomBytes(32),
      createdAt: new Date('2031-03-09T15:00:00Z'),
      expiresAt: new Date('2031-03-10T18:00:00Z'),
      ...data,
    },
  });
