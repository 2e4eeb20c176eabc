import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Actor, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { createAppointment } from '../support/schedule.ts';

const test = await sharedTestApp();
const { prisma } = test.database;

const ROWS = 9;
const DAY = '2033-05-03';
/** Nine starts, several of them alike. */
const starts = fc.array(fc.integer({ min: 9, max: 12 }), { minLength: ROWS, maxLength: ROWS });
/** After each page: a row that is cancelled, moved to the end of the day, or left. */
const changes = fc.array(fc.record({ row: fc.nat(ROWS - 1), how: fc.constantFrom('cancel', 'move', 'leave', 'insert') }), {
  minLength: 6,
  maxLength: 6,
});

interface Reader {
  name: string;
  actor: Actor;
  first: string;
  read(body: Record<string, unknown>): { ids: number[]; next: string | null };
}

const linked = (links: unknown): string | null => {
  const next = Object(links).next;
  return typeof next === 'string' ? next.replace(/^https?:\/\/[^/]+/, '') : null;
};
const uuids = (body: Record<string, unknown>) => [body.data].flat().map((row) => Number(Object(row).uuid));

it('a list that is followed while rows of it are cancelled, moved and added shows each row that stays exactly once, in every API', async () => {
  const person = await signedInUser(test, { type: 'admin' });
  const { organizationId } = person;
  const app = await integrationClient(test, { organizationId });
  const system = await practiceClient(test, { organizationId });
  const { id: patientId } = await createPatient(prisma, { organizationId });
  const query = `min_appointment_date=${DAY}&max_appointment_date=${DAY}&limit=2`;
  const readers: Reader[] = [
    {
      name: 'mobile',
      actor: person,
      first: `/appointments/all?${query}`,
      read: (body) => ({ ids: uuids(body), next: linked(body.links) }),
    },
    {
      name: 'mobile, of a participant',
      actor: person,
      first: `/appointments?${query}`,
      read: (body) => ({ ids: uuids(body), next: linked(body.links) }),
    },
    {
      name: 'integration',
      actor: app,
      first: `/api/appointments?from=${DAY}&to=${DAY}&limit=2`,
      read: (body) => ({ ids: uuids(body), next: linked(body.links) }),
    },
    {
      name: 'practice',
      actor: system,
      first: `/v1/${organizationId}/appointments/booked?startdate=05/03/2033&enddate=05/03/2033&limit=2`,
      read: (body) => ({
        ids: [body.appointments].flat().map((row) => Number(Object(row).appointmentid)),
        next: typeof body.next === 'string' ? body.next : null,
      }),
    },
  ];
  const add = async (hour: number) => {
    const fields = { organizationId, patientId, startsAt: `${DAY}T${String(hour + 5).padStart(2, '0')}:00:00Z` };
    return (await createAppointment(prisma, fields, [person.user.id])).id;
  };
  await fc.assert(
    fc.asyncProperty(starts, changes, async (hours, acts) => {
      for (const { name, actor, first, read } of readers) {
        await prisma.appointment.updateMany({ where: { organizationId }, data: { status: 'cancelled' } });
        const ids: number[] = [];
        for (const hour of hours) ids.push(await add(hour));
        const changed = new Set<number>();
        const seen: number[] = [];
        let next: string | null = first;
        for (let page = 0; next !== null; page += 1) {
          expect(page, name).toBeLessThan(30);
          const answer = await test.http.get(next).set('authorization', `Bearer ${actor.token}`);
          expect(answer.status, `${name}: ${answer.text}`).toBe(200);
          const shown = read(answer.body);
          seen.push(...shown.ids);
          next = shown.next;
          const act = acts[page];
          const id = act && ids[act.row];
          if (!act || id === undefined || act.how === 'leave') continue;
          if (act.how === 'insert') await add(9);
          else {
            changed.add(id);
            if (act.how === 'cancel') await person.delete(`/appointments/${id}`);
            else await person.put(`/appointments/${id}`).send({ appointment_date: `${DAY}T18:00:00` });
          }
        }
        for (const id of ids.filter((one) => !changed.has(one)))
          expect([name, id, seen.filter((one) => one === id).length]).toEqual([name, id, 1]);
      }
    }),
    { numRuns: 8 },
  );
});
