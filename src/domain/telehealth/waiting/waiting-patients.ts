import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { findWaitingRoom } from './waiting-rooms.ts';

/** The fields of the patient that staff see of a waiting room visit. */
export const WITH_PATIENT = {
  patient: { select: { id: true, firstName: true, lastName: true, restricted: true } },
} as const satisfies Prisma.WaitingRoomVisitInclude;
type VisitOfPatient = Prisma.WaitingRoomVisitGetPayload<{ include: typeof WITH_PATIENT }>;

/** A visit with its patient, who is null where the chart is restricted or blocked and the caller may not see it. */
export interface WaitingPatient extends Omit<VisitOfPatient, 'patient'> {
  patient: VisitOfPatient['patient'] | null;
  patientRestricted: boolean;
}

/** A visit as a caller may see it. */
export const visitFor = (caller: Caller, visit: VisitOfPatient): WaitingPatient => {
  const { id, restricted: patientRestricted } = visit.patient;
  return { ...visit, patientRestricted, ...(patientRestricted && !maySeeChart(caller, id) ? { patient: null } : {}) };
};

/**
 * Patients in a waiting room, the longest wait first. A restricted patient is among them without a name, since somebody has to
 * admit them. Audited.
 * @throws Failure not_found
 */
export async function listWaitingPatients(tx: Tx, waitingRoomId: number, page: PageRequest): Promise<Page<WaitingPatient>> {
  await findWaitingRoom(tx, waitingRoomId);
  const where = { ...tx.practice, waitingRoomId, leftAt: null };
  const [items, total] = await Promise.all([
    tx.prisma.waitingRoomVisit.findMany({ where, include: WITH_PATIENT, orderBy: [{ enteredAt: 'asc' }, { id: 'asc' }], ...window(page) }),
    tx.prisma.waitingRoomVisit.count({ where }),
  ]);
  const shown = items.map((visit) => visitFor(tx, visit));
  const records = { ids: shown.map(({ id }) => id), patientIds: shown.flatMap(({ patient }) => patient?.id ?? []) };
  recordReadWithPatients(tx, 'waiting_room_visit', records, 'search');
  return { ...page, items: shown, total };
}
